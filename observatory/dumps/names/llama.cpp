# Tensors of llama.cpp's graph that a cb_eval of llama-cpp-python 0.3.36 writes (observatory/observations.md): sample0/pass0/embd.npy and so on,
# pass 0 being the prompt. The output of the attention has no name there.
prefill?                  sample{sample}/pass0/result_output
decode?                   sample{sample}/pass{step+1}/result_output
trace/embed?              sample0/pass0/embd
trace/layer.{layer}.mlp?  sample0/pass0/ffn_out-{layer}
trace/layer.{layer}.out?  sample0/pass0/l_out-{layer}
trace/norm?               sample0/pass0/result_norm
