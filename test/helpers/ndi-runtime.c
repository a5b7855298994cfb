// Stands in for the NDI runtime: the functions that onair calls, in the layouts of the public headers of version 5 and 6.
// What it gives is in the file beside it with the ending .conf, as lines of a word and a number, and is read again for each frame.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct { const char *name; const char *address; } source_t;
typedef struct { bool local; const char *groups; const char *extra_ips; } finder_t;
typedef struct { source_t source; int format, bandwidth; bool fields; const char *name; } receiver_t;
typedef struct {
  int xres, yres; uint32_t fourcc; int rate_n, rate_d; float aspect; int form;
  int64_t timecode; uint8_t *data; int stride; const char *metadata; int64_t timestamp;
} video_t;
typedef struct {
  int rate, channels, samples; int64_t timecode; uint32_t fourcc;
  uint8_t *data; int stride; const char *metadata; int64_t timestamp;
} audio_t;

static char path[4096];

static int value(const char *word, int usual) {
  char line[256], key[64];
  int found = usual, number;
  FILE *file = fopen(path, "r");
  if (file == NULL) return usual;
  while (fgets(line, sizeof line, file)) if (sscanf(line, "%63s %d", key, &number) == 2 && strcmp(key, word) == 0) found = number;
  fclose(file);
  return found;
}

static void note(const char *what, const char *text) {
  char name[4200];
  snprintf(name, sizeof name, "%s.asked", path);
  FILE *file = fopen(name, "a");
  if (file == NULL) return;
  fprintf(file, "%s %s\n", what, text == NULL ? "-" : text);
  fclose(file);
}

static int64_t now_us(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

static void rest_us(int64_t us) {
  if (us <= 0) return;
  struct timespec time = { us / 1000000, (us % 1000000) * 1000 };
  nanosleep(&time, NULL);
}

bool NDIlib_initialize(void) {
  Dl_info info;
  dladdr((void *)NDIlib_initialize, &info);
  snprintf(path, sizeof path, "%s.conf", info.dli_fname);
  return true;
}
const char *NDIlib_version(void) { return "a stand-in"; }

static source_t sources[2] = { { "STUDIO (Camera 1)", "127.0.0.1:5961" }, { "STUDIO (Camera 2)", "127.0.0.1:5962" } };
void *NDIlib_find_create_v2(const finder_t *given) { note("hosts", given->extra_ips); return &sources; }
bool NDIlib_find_wait_for_sources(void *finder, uint32_t ms) { (void)finder; rest_us((int64_t)ms * 100); return true; }
const source_t *NDIlib_find_get_current_sources(void *finder, uint32_t *count) { (void)finder; *count = (uint32_t)value("sources", 2); return sources; }
void NDIlib_find_destroy(void *finder) { (void)finder; }

typedef struct { int64_t from; int64_t frame; int part; } state_t;
void *NDIlib_recv_create_v3(const receiver_t *given) {
  note("name", given->source.name);
  note("address", given->source.address);
  state_t *state = calloc(1, sizeof *state);
  state->from = now_us();
  return state;
}

static void draw(uint8_t *data, int width, int height, int number) {
  for (int i = 0; i < width * height; i += 1) { data[2 * i] = 128; data[2 * i + 1] = 60; }
  // The numbers are those of counted pictures (counted.ts), which are 320 by 180.
  for (int bit = 0; bit < 12; bit += 1) {
    if (((number >> bit) & 1) == 0) continue;
    int left = (16 + bit % 6 * 48) * width / 320, top = (40 + bit / 6 * 48) * height / 180;
    for (int y = top; y < top + 32 * height / 180; y += 1)
      for (int x = left; x < left + 32 * width / 320; x += 1) data[2 * (y * width + x) + 1] = 230;
  }
}

int NDIlib_recv_capture_v3(void *given, video_t *video, audio_t *audio, void *metadata, uint32_t ms) {
  (void)metadata;
  state_t *state = given;
  int fps = value("fps", 25), channels = value("channels", 2), fields = value("fields", 0);
  int change = value("change_at", 0), width = value("width", 320), height = 180;
  if (change > 0 && state->frame >= change) width *= 2;
  int64_t due = state->from + state->frame * 1000000 / fps, wait = due - now_us();
  if (wait > (int64_t)ms * 1000 || value("away", 0) == 1) {
    rest_us((int64_t)ms * 1000);
    // The source goes on while it is away.
    if (value("away", 0) == 1) state->frame = (now_us() - state->from) * fps / 1000000;
    return 0;
  }
  rest_us(wait);
  int64_t stamp = value("untimed", 0) == 1 ? INT64_MAX : due * 10;
  if (state->part == 0 && channels > 0) {
    state->part = 1;
    int samples = 48000 / fps;
    float *data = malloc(sizeof(float) * (size_t)(channels * samples));
    for (int c = 0; c < channels; c += 1)
      for (int n = 0; n < samples; n += 1) data[c * samples + n] = (n / 24 % 2 ? 1.f : -1.f) * (float)(c + 1) / 32.f;
    memset(audio, 0, sizeof *audio);
    *audio = (audio_t){ 48000, channels, samples, 0, 0x70544c46, (uint8_t *)data, samples * 4, NULL, stamp };
    return 2;
  }
  bool is_upper = fields == 1 && state->part < 2;
  int lines = fields == 1 ? height / 2 : height;
  uint8_t *whole = malloc((size_t)(width * height * 2)), *data = whole;
  draw(whole, width, height, (int)state->frame);
  if (fields == 1) {
    data = malloc((size_t)(width * lines * 2));
    for (int y = 0; y < lines; y += 1) memcpy(data + y * width * 2, whole + (2 * y + (is_upper ? 0 : 1)) * width * 2, (size_t)(width * 2));
    free(whole);
  }
  memset(video, 0, sizeof *video);
  *video = (video_t){ width, lines, 0x59565955, fps * 1000, 1000, 0, fields == 1 ? (is_upper ? 2 : 3) : fields == 2 ? 0 : 1, 0, data, width * 2, NULL, stamp };
  if (value("layout", 0) == 1) memmove((char *)video + 4, video, 32);
  if (is_upper) state->part = 2;
  else { state->part = 0; state->frame += 1; }
  return 1;
}
void NDIlib_recv_free_video_v2(void *receiver, const video_t *video) { (void)receiver; if (value("layout", 0) == 0) free(video->data); }
void NDIlib_recv_free_audio_v3(void *receiver, const audio_t *audio) { (void)receiver; free(audio->data); }
void NDIlib_recv_destroy(void *receiver) { free(receiver); }
