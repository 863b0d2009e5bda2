/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/tests/conv_towers.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/tests/weight.h"

const double conv_averaged[32] = {
    -0.37800087107514163, -1.3198648419102048,  -0.16493208239678905, 0.5429121119420337,
    0.19583709182493259,  -0.3709680717464261,  -0.5860442213421561,  0.21322318406570942,
    -0.5948104286110855,  -0.10797736197229042, -0.5555549983702793,  1.4714726511907845,
    0.06991690849995742,  -0.4611888446159986,  -0.19974366507795174, 1.0125221514903162,
    -0.7013803208525294,  -0.7086538167212698,  -0.16608990250039676, 0.10186577208893667,
    0.007933092081770335, 0.07823453496511386,  -0.39893988916184825, 0.43498595044158145,
    -0.42672699568095984, -0.7086661134078979,  -0.6213972766283828,  1.1766440002635143,
    0.4030911688478413,   -0.8197830411116499,  -0.33645191178766054, 1.6989432918592884};
const double conv_interpolated[128] = {
    0.009892324816300598, -1.443631555474426,    -0.028054652120836007, 1.7894557832335467,
    0.10955259800165233,  -1.2789119191154386,   -0.10917533635042648,  -0.25519368639155643,
    -1.4791440155937243,  -0.9481768743584629,   -0.028514944917576224, 0.06909949859115902,
    -0.5969304671192098,  0.6705953055992735,    -0.2513577037601812,   -0.5888738058266971,
    -0.20127075428127425, 0.09456865503699403,   -1.1315337500927307,   1.9163636651467708,
    0.19482982288023296,  -0.7103663082088164,   -0.3906640572448007,   1.5669007073538195,
    -1.035063245286205,   -1.146094822340736,    -0.2698846561719831,   0.06994662603934089,
    0.24871143417913918,  -0.015157065290563265, -0.4592177058560965,   1.1694060024518802,
    -0.2034976260483669,  -1.7083512822242533,   0.0979455897945326,    -0.714696741751307,
    0.6146244270920763,   -0.13134310552074263,  -1.1150687273253048,   0.6815435738511316,
    0.08705647220699247,  -1.30369576129504,     -0.48469605111924413,  0.8392140800178325,
    0.6014519746800125,   -0.6885289374960084,   -0.7882510685970364,   0.9517608138190637,
    -0.5380727781909724,  -0.22617751665520783,  -0.4262493636091436,   2.287422110729871,
    -0.00955969539015334, -1.2403865786947694,   0.04120733100625866,   1.399758429020166,
    -0.3464426471406111,  0.5033167938345711,    -0.44495374886144046,  2.081587545557654,
    0.025406892866536024, -0.5875639267128605,   -0.03530264094323727,  0.07109379253700185,
    -0.9850772234126927,  -0.22367492269823985,  0.1696528586936929,    -1.4476116105934393,
    -0.13000582530524213, 0.8906020022674233,    -0.6023571029219394,   -0.09979586541080446,
    -0.34449254663576817, -0.4783896927750475,   -0.2807663458818879,   0.5110587324760482,
    0.3036944636098856,   -0.4840141460726737,   -0.4689764546966188,   1.2293592649804728,
    -0.2980626746652176,  -1.4810528175526856,   -0.27195977967614005,  1.0402851935510715,
    0.5924183846252746,   -1.1895710939270603,   -0.3708311442453781,   1.8201018061841063,
    -0.12575546085440578, -0.1094067552403811,   -1.0547041566041995,   1.895112547843331,
    0.2969828936428731,   -1.1133673731584106,   -0.3538469851799471,   1.4310601341519928,
    0.02772553911613321,  -0.4378008358634963,   -0.4772071678441572,   2.3522853682043974,
    -0.15732825576365297, -0.6453721374750158,   -0.044870082096718056, -0.6063687553247802,
    -1.332787624609866,   -1.8187535474274261,   -0.008658117999757325, -0.7387970256824237,
    0.06023756849510206,  0.28313589958120305,   -0.5107551565569951,   1.0756445657752318,
    -1.258452591927396,   -0.7882768019186029,   -0.5877122263740534,   -0.043258765598954974,
    0.3380246706927757,   0.4484276319046265,    -0.5223658024136035,   1.5836287407199843,
    -0.18719185422903514, -0.2663146790330837,   -0.6587900349678217,   1.7328443740441866,
    0.30332408823968277,  -1.247397707544137,    -0.12523295698937215,  1.8827953540355988};
const double conv_other[32] = {
    0.04732774691434496,  -0.9380179526068428, -0.17746513772518097,  0.6277025626217969,
    0.5907485561105199,   -0.9604340178132775, -0.5386876492998739,   0.9090405961729222,
    -0.1292800767424312,  -1.6080324999037963, 0.4709003477018142,    -1.140476409929162,
    0.4978382125377891,   -0.6276012404907275, -0.8130967981414131,   -0.09244984680656393,
    0.366647927158389,    -1.9785644442805572, 0.42141314051298306,   1.5314274862589694,
    0.5266303355427406,   -1.3334315645904526, -0.033111056812614996, 0.3822889153544787,
    -0.06728440713230499, -1.7807572164410943, -0.29601215633041666,  -0.07961991770651133,
    0.1413774578033157,   -0.7370939779337977, -0.648819268877547,    -0.09984856521544666};

enum { MOST = 64 };

/* The numbers of the tensors of a tower, in the order of timm's state_dict, until it is freed. */
static double *pool[MOST];
static size_t n_pooled;
static array_list *vectors;

double conv_number(size_t seed, size_t i)
{
    return ((double)((7 * i + 13 * seed) % 17) - 8) / 16;
}

static assay_status copy_vector(void *context, array *self, array *const *inputs, assay_error *err)
{
    void *data = array_allocate(self);
    (void)inputs;
    (void)err;
    memcpy(data, context, array_bytes(self));
    return ASSAY_OK;
}

/* The next tensor. */
static plan_weight weight(size_t rows, size_t cols, double added)
{
    ck_assert_uint_lt(n_pooled, MOST);
    double *data = calloc(rows * cols, sizeof *data);
    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < rows * cols; i++) data[i] = added + conv_number(n_pooled, i);
    pool[n_pooled++] = data;
    plan_weight w = weight_of(data, ASSAY_F64, rows, cols);
    if (rows == 1 && vectors)
        w.values = array_list_defer(vectors, w.name, false, cols * sizeof *data,
                                    (array_maker){copy_vector, data, NULL}, NULL, 0);
    return w;
}

static plan_norm norm(size_t width)
{
    return (plan_norm){.present = true, .epsilon = 1e-6, .width = width, .weight = weight(1, width, 1)};
}

static plan_linear linear(size_t out, size_t in)
{
    return (plan_linear){.weight = weight(out, in, 0)};
}

static plan_convolution convolution(size_t kernel, size_t stride, size_t out, size_t in)
{
    plan_convolution c = {.kernel = kernel, .stride = stride, .n_in = in, .n_out = out};
    c.product = linear(out, plan_convolution_columns(&c));
    return c;
}

static plan_convolution depthwise(size_t kernel, size_t stride, size_t n)
{
    plan_convolution c = {.kernel = kernel, .stride = stride, .n_in = n, .n_out = n, .is_depthwise = true};
    c.product = linear(n, plan_convolution_columns(&c));
    return c;
}

/* A unit whose norm is the next tensor. */
static plan_conv_unit unit(plan_convolution c, bool is_activated)
{
    return (plan_conv_unit){
        .convolution = c, .norm = norm(c.n_out), .is_activated = is_activated, .activation = ASSAY_GELU_TANH};
}

static plan_conv_block make_stem(void)
{
    plan_conv_block b = {.n_units = 1};
    plan_convolution c = convolution(3, 2, 8, CONV_CHANNELS);
    c.product.bias = weight(1, 8, 0);
    b.units[0] = unit(c, true);
    return b;
}

static plan_conv_block make_edge(void)
{
    plan_conv_block b = {.n_units = 2};
    b.units[0] = unit(convolution(3, 2, 16, 8), true);
    b.units[1] = unit(convolution(1, 1, 8, 16), false);
    return b;
}

static plan_conv_block make_strided(void)
{
    plan_conv_block b = {.n_units = 4};
    b.units[0] = unit(depthwise(3, 1, 8), false);
    b.units[1] = unit(convolution(1, 1, 8, 8), true);
    b.units[2] = unit(depthwise(5, 2, 8), true);
    b.units[3] = unit(convolution(1, 1, 16, 8), false);
    b.scale = weight(1, 16, 0);
    return b;
}

static plan_conv_block make_attention(void)
{
    plan_conv_block b = {.kind = PLAN_CONV_ATTENTION, .is_residual = true, .has_key_units = true};
    plan_attention *a = &b.attention;
    *a = (plan_attention){.n_heads = 2,
                          .n_kv_heads = 1,
                          .head_dim = 4,
                          .scale = 0.5,
                          .mask = PLAN_MASK_NONE,
                          .rope = PLAN_NONE};
    b.norm = norm(16);
    a->q = linear(8, 16);
    b.key = unit(depthwise(3, 2, 16), false);
    a->k = linear(4, 16);
    b.value = unit(depthwise(3, 2, 16), false);
    a->v = linear(4, 16);
    a->o = linear(16, 8);
    b.scale = weight(1, 16, 0);
    return b;
}

static plan_conv_block make_inverted(void)
{
    plan_conv_block b = {.n_units = 3, .is_residual = true};
    b.units[0] = unit(depthwise(5, 1, 16), false);
    b.units[1] = unit(convolution(1, 1, 32, 16), true);
    b.units[2] = unit(convolution(1, 1, 16, 32), false);
    b.scale = weight(1, 16, 0);
    return b;
}

void conv_tower_make(plan_tower *tower, size_t side, array_list *arrays)
{
    vectors = arrays;
    *tower = (plan_tower){.present = true,
                          .hidden = CONV_HIDDEN,
                          .patches = {.size = 1, .channels = CONV_CHANNELS, .frames = 1, .pixel_factor = 1},
                          .kind = PLAN_TOWER_CONV,
                          .conv = {.n_blocks = 5, .n_taken = 2, .taken = {1, 4}, .side = side},
                          .merge = 1,
                          .pooling = {.side = 1, .factor = 1},
                          .image_token = 1,
                          .video_token = -1};
    plan_conv_tower *t = &tower->conv;
    t->blocks = calloc(t->n_blocks, sizeof *t->blocks);
    ck_assert_ptr_nonnull(t->blocks);
    t->blocks[0] = make_stem();
    t->blocks[1] = make_edge();
    t->blocks[2] = make_strided();
    t->blocks[3] = make_attention();
    t->blocks[4] = make_inverted();
    t->fusion.n_units = 2;
    t->fusion.units[0] = unit(convolution(1, 1, 48, 24), true);
    t->fusion.units[1] = unit(convolution(1, 1, CONV_HIDDEN, 48), false);
}

void conv_tower_free(plan_tower *tower)
{
    free(tower->conv.blocks);
    while (n_pooled > 0) free(pool[--n_pooled]);
}

void conv_image(double *pixels, size_t height, size_t width)
{
    for (size_t i = 0; i < CONV_CHANNELS * height * width; i++) pixels[i] = 2 * conv_number(1, i);
}
