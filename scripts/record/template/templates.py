"""Chat templates for this recorder: each shows some of what templates do with messages, tools and images."""

from __future__ import annotations

TURNS = """{{- bos_token -}}
{%- set ns = namespace(seen=0, last='') -%}
{%- for m in messages if m.content is not none %}
    {%- if m['role'] not in ['system', 'developer', 'user', 'assistant', 'tool', 'ipython'] %}
        {{- raise_exception("turn " ~ loop.index ~ ": no role " ~ m.role) }}
    {%- elif loop.first and m.role == 'user' %}
        {{- '[first]' }}
    {%- endif %}
    {%- if ns.last == m.role %}{{ '[again]' }}{% endif %}
    {%- set ns.last = m.role -%}
    {%- set ns.seen = ns.seen + 1 -%}
    {%- if m.content is string -%}
[{{ m.role | upper }} {{ loop.revindex0 }}]{{ m.content | trim }}{{ eos_token if m.role == 'assistant' else '' }}
    {%- else -%}
[{{ m.role | title }}]{{ m.content | length }}
    {%- endif %}
{% else %}
nothing
{% endfor %}
{%- if add_generation_prompt %}[ASSISTANT after {{ ns.seen }}]{% endif -%}
"""

TOOLS = """{#- Functions first, then what was called. -#}
{% macro show(f, indent=0) %}
{{ ' ' * indent }}- {{ f.name }}: {{ f.description | default('undocumented', true) }}
{% for key, of in f.parameters.properties | dictsort %}
{{ ' ' * indent }}    {{ key }}{{ '' if key in f.parameters.required else '?' }} {{ of | tojson }}
{% endfor %}
{% endmacro %}
{% if tools is defined and tools %}
{% for t in tools %}{{ show(t.function if t.function is defined else t, indent=2) }}{% endfor %}
{{ tools | map(attribute='type') | select('defined') | list | tojson(indent=2) }}
{% elif tools is none %}
no tools
{% endif %}
{% for m in messages %}
  {% if m.tool_calls %}
    {% for c in m.tool_calls -%}
      {% set f = c.function or c -%}
      {{ loop.index }}/{{ loop.length }} {{ f['name'] }}({% if f.arguments is mapping -%}
        {% for k, v in f.arguments.items() %}{{ k }}={{ v | tojson if v is not string else v }}{{ ", " if not loop.last }}{% endfor %}
      {%- else %}{{ f.arguments }}{% endif %}){{ c.id | default('') }}
    {% endfor %}
  {% elif m.role in ('tool', 'ipython') %}
    {{- '<' ~ (m.name or m.tool_call_id or 'unknown') ~ '>' }}{{ m.content if m.content is string else m.content | tojson(ensure_ascii=true) }}
  {% else %}
    {{ loop.cycle('odd', 'even') }} {{ m.role }}
  {% endif %}
{% endfor %}
"""

MEDIA = """{% set count = namespace(image=0, video=0) %}
{% for m in messages %}
{%- if m.content is string %}{{ m.role }}: {{ m.content }}
{% else %}
{%- for part in m.content or [] %}
    {%- if part.type in ('image', 'image_url') or 'image' in part %}
        {%- set count.image = count.image + 1 -%}
        <{% if add_vision_id is defined and add_vision_id %}picture {{ count.image }} {% endif %}image>
    {%- elif part.type == 'video' %}
        {%- set count.video = count.video + 1 %}<video {{ part.video.split('.')[0] }} {{ count.video }}>
    {%- elif part.text is defined %}{{ part['text'].replace('\\n', ' | ') }}
    {%- else %}{% continue %}
    {%- endif %}
{%- endfor %}
{% endif %}
{%- if count.image > 4 %}{% break %}{% endif %}
{% endfor %}
{{- "%d images, %s videos" % (count.image, count.video) }}"""

REASONING = """{%- set show = enable_thinking if enable_thinking is defined else thinking | default(false) %}
{%- for m in messages[::-1] if m.role == 'assistant' %}
    {%- set thought = m.reasoning_content or m.reasoning or m.thinking %}
    {%- set said = m.content if m.content is string else '' %}
    {%- if not thought and '</think>' in said %}
        {%- set thought = said.split('</think>')[0].split('<think>')[-1].strip('\\n') %}
        {%- set said = said.split('</think>')[-1].lstrip() %}
    {%- endif %}
    {%- if show and thought %}{{ '(' + thought + ')' }}{% endif %}
    {{- said.rstrip() ~ (' ' if loop.nextitem is defined else '.') }}
{%- endfor %}
{%- if reasoning_effort in ['low', 'high'] %}{{ {'low': 1, 'high': 3}[reasoning_effort] }}{% endif %}
{%- generation %}{{ strftime_now('%d.%m.%Y %H:%M') if date_string is not defined else date_string }}{% endgeneration %}"""

DOCUMENTS = """{% macro quote(s) -%}"{{ s | replace('"', "'") }}"{%- endmacro %}
{% macro wrapped(title) %}{{ quote(title) }}: {{ caller() | indent(4) }}{% endmacro %}
{% if documents is not defined %}{% set documents = [] %}{% endif %}
{% for d in documents %}
{% call wrapped(d.title) %}{{ d.text }}
({{ d.text | length }}){% endcall %}

{% endfor %}
{% set roles %}{% for m in messages %}{{ m.role[:3] }}{{ ',' if not loop.last }}{% endfor %}{% endset %}
{{ roles }} {{ roles.split(',') | unique | sort | join('+') }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }}
{{ (messages | first).role }} {{ (messages | last).role | capitalize }} {{ messages[-1]['content'] is string and messages[-1].content[:-2] | reverse | list | join }}
{{- custom_tools is none }} {{ not tools_in_user_message }} {{ bos_token ~ (1 + 2 ** 3 // 5 % 4) }}"""

ALL = {"turns": TURNS, "tools": TOOLS, "media": MEDIA, "reasoning": REASONING, "documents": DOCUMENTS}
