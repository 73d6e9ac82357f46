/* Parses YAML from standard input and writes it again. */
#include <stdio.h>
#include <yaml.h>

int main(void) {
    yaml_parser_t parser;
    yaml_emitter_t emitter;
    yaml_event_t event;
    int done = 0;
    if (!yaml_parser_initialize(&parser) || !yaml_emitter_initialize(&emitter)) return 1;
    yaml_parser_set_input_file(&parser, stdin);
    yaml_emitter_set_output_file(&emitter, stdout);
    while (!done) {
        if (!yaml_parser_parse(&parser, &event)) break;
        done = event.type == YAML_STREAM_END_EVENT;
        if (!yaml_emitter_emit(&emitter, &event)) break;
    }
    yaml_emitter_delete(&emitter);
    yaml_parser_delete(&parser);
    return !done;
}
