/** GLSL of the picture: agents by vertex pulling, fading trails, a soft glow, and the sky behind them. */

import looks from "../../../../../looks.json";

const { night, day } = looks.sky;
const vec3 = (rgb: number[]) => `vec3(${rgb.map((c) => c.toFixed(3)).join()})`;

export const AGENT_VERTEX = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D u_from, u_to;   // two words per agent: x|y<<16, heading|speed<<8|species<<16|extra<<24
uniform vec4 u_window_from, u_window_to; // left, top, width, height [u]
uniform float u_alpha;             // how far between the two frames
uniform vec2 u_wrap;               // sides of a wrapping world [u], else 0
uniform ivec2 u_copies;            // of a wrapping world, on each side of the nearest one
uniform vec3 u_camera;             // centre [u], device px per u
uniform vec2 u_view;               // window [device px]
uniform float u_half;              // half the length of an agent [device px]
uniform int u_mode;                // 0 heading, 1 species, 2 speed, 3 extra, 4 extra as a category
uniform int u_hunters;             // bit k: species k hunts
uniform int u_form;                // 0 dart, 1 bird, 2 fish, 3 dot
uniform sampler2D u_palette;
out vec2 v_local;
out vec3 v_color;
out float v_half;
flat out int v_form;
const float TURN = 6.28318530718;
const ivec2 WIDTH_BITS = ivec2(2047, 11);

vec2 place(uvec2 words, vec4 window) {
  return window.xy + vec2(words.x & 0xffffu, words.x >> 16) / 65535.0 * window.zw;
}
vec2 direction(uvec2 words) {
  float angle = (float(words.y & 0xffu) + 0.5) / 256.0 * TURN;
  return vec2(cos(angle), sin(angle));
}
float colour_place(uvec2 words, vec2 ahead) {
  if (u_mode == 0) return fract(atan(ahead.y, ahead.x) / TURN + 1.0);
  if (u_mode == 1) return (float((words.y >> 16) & 0xffu) + 0.5) / 256.0;
  if (u_mode == 4) return (float(words.y >> 24) + 0.5) / 256.0;
  return float((words.y >> (u_mode == 2 ? 8 : 24)) & 0xffu) / 255.0;
}
void main() {
  int k = gl_VertexID / 3;
  ivec2 texel = ivec2(k & WIDTH_BITS.x, k >> WIDTH_BITS.y);
  uvec2 a = texelFetch(u_from, texel, 0).xy;
  uvec2 b = texelFetch(u_to, texel, 0).xy;
  vec2 start = place(a, u_window_from);
  vec2 way = place(b, u_window_to) - start;
  vec2 sides = max(u_wrap, vec2(1e-6));
  way -= (u_wrap.x > 0.0 ? 1.0 : 0.0) * sides * round(way / sides);
  vec2 at = start + way * u_alpha;
  if (u_wrap.x > 0.0) {
    int across = 2 * u_copies.x + 1;
    ivec2 copy = ivec2(gl_InstanceID % across, gl_InstanceID / across) - u_copies;
    at += (vec2(copy) - round((at - u_camera.xy) / sides)) * sides;
  }
  vec2 ahead = normalize(mix(direction(a), direction(b), u_alpha) + vec2(1e-4, 0.0));

  // The smallest triangle around the shape, slightly enlarged for a smooth edge.
  int corner = gl_VertexID - 3 * k;
  int species = int((b.y >> 16) & 0xffu);
  bool hunts = species < 31 && ((u_hunters >> species) & 1) == 1;
  v_form = hunts ? 1 : u_form;
  float half_size = u_half * (hunts ? 2.1 : v_form == 1 ? 1.3 : 1.0);
  vec2 local = corner == 0 ? vec2(1.0, 0.0) : vec2(-1.0, corner == 1 ? 1.0 : -1.0) * vec2(1.0, v_form == 0 ? 0.55 : 1.6);
  local = vec2(-0.33, 0.0) + (local - vec2(-0.33, 0.0)) * (1.0 + 3.0 / half_size);
  v_local = local;
  v_half = half_size;
  v_color = texture(u_palette, vec2(colour_place(b, ahead), 0.5)).rgb;
  vec2 px = (at - u_camera.xy) * u_camera.z + (local.x * ahead + local.y * vec2(-ahead.y, ahead.x)) * half_size;
  gl_Position = vec4(px / u_view * vec2(2.0, -2.0), 0.0, 1.0);
}`;

export const AGENT_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_local;
in vec3 v_color;
in float v_half;
flat in int v_form;
uniform float u_gain;              // light this pass adds
uniform float u_cover;             // 0: pure light, 1: opaque
out vec4 color;
void main() {
  // A slim dart with a notched tail, as a signed distance in px.
  float y = abs(v_local.y);
  float side = (y - 0.26 * (1.0 - v_local.x)) / 1.033;
  float notch = (-0.52 * (v_local.x + 0.5) - 0.5 * y) / 0.721;
  float shape = max(side, notch);
  if (v_form == 1) {
    // A bird, or a hunter, which is larger: swept wings with a body between them.
    float wings = max((v_local.x + 1.2 * y - 0.85) / 1.562, (0.1 - 0.5 * y - v_local.x) / 1.118);
    float body = max(max(y - 0.13, v_local.x - 0.6), -v_local.x - 0.85);
    shape = min(wings, body);
  } else if (v_form == 2) {
    float body = (length(vec2((v_local.x - 0.15) / 0.85, y / 0.3)) - 1.0) * 0.3;
    float tail = max(max(-v_local.x - 1.0, v_local.x + 0.5), (y + 0.75 * (v_local.x + 0.5)) / 1.25);
    shape = min(body, tail);
  } else if (v_form == 3) {
    shape = length(v_local) - 0.5;
  }
  float covered = clamp(0.5 - shape * v_half, 0.0, 1.0);
  float spine = 0.75 + 0.25 * smoothstep(-1.0, 0.8, v_local.x);
  color = vec4(v_color * spine, u_cover) * covered * u_gain;
}`;

export const SCREEN_VERTEX = `#version 300 es
out vec2 v_uv;
void main() {
  v_uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  gl_Position = vec4(v_uv * 2.0 - 1.0, 0.0, 1.0);
}`;

/** The trails of the previous frame, moved with the camera and slightly fainter. */
export const FADE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_uv;
uniform sampler2D u_image;
uniform float u_keep;
uniform vec3 u_moved;              // shift in uv, ratio of zooms
out vec4 color;
void main() {
  vec2 uv = (v_uv - 0.5) * u_moved.z + 0.5 + u_moved.xy;
  bool inside = all(greaterThanEqual(uv, vec2(0.0))) && all(lessThanEqual(uv, vec2(1.0)));
  color = inside ? texture(u_image, uv) * u_keep : vec4(0.0);
}`;

/** Thirteen texels along one axis, in seven taps. */
export const BLUR_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_uv;
uniform sampler2D u_image;
uniform vec2 u_axis;               // one step [uv]
out vec4 color;
void main() {
  vec4 sum = texture(u_image, v_uv) * 0.1964;
  sum += (texture(u_image, v_uv + u_axis * 1.41) + texture(u_image, v_uv - u_axis * 1.41)) * 0.2969;
  sum += (texture(u_image, v_uv + u_axis * 3.29) + texture(u_image, v_uv - u_axis * 3.29)) * 0.0945;
  sum += (texture(u_image, v_uv + u_axis * 5.18) + texture(u_image, v_uv - u_axis * 5.18)) * 0.0104;
  color = sum;
}`;

/** Means of squares of texels. With a limit, light approaches 1: the glow of a dense flock would show the blur's shape. */
export const SHRINK_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_uv;
uniform sampler2D u_image;
uniform vec2 u_axis;               // from one tap to the next [uv]
uniform int u_taps;                // along each side of a target's texel
uniform bool u_limited;
out vec4 color;
void main() {
  vec2 first = v_uv - 0.5 * float(u_taps - 1) * u_axis;
  vec4 sum = vec4(0.0);
  for (int y = 0; y < u_taps; y++) for (int x = 0; x < u_taps; x++) sum += texture(u_image, first + vec2(x, y) * u_axis);
  color = sum / float(u_taps * u_taps);
  if (!u_limited) return;
  float peak = max(max(color.r, color.g), max(color.b, color.a));
  color *= inversesqrt(1.0 + peak * peak);
}`;

export const SKY_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_uv;
uniform sampler2D u_trails, u_near, u_far;
uniform float u_light;             // 1: light theme, 0: dark theme
uniform vec3 u_amount;             // trails, near glow, far glow
uniform vec4 u_world;              // edges of the world [uv]: left, bottom, right, top
uniform vec2 u_view;
uniform float u_daylight;          // 0 midnight, 1 noon; negative: no time of day
out vec4 color;

/** Blue and dim at midnight, warm where day and night meet. */
vec3 hour(vec3 sky, float height) {
  if (u_daylight < 0.0) return sky;
  float dusk = 1.0 - abs(2.0 * u_daylight - 1.0);
  // In the light theme the night is only hinted at: dark agents and text must stay readable.
  vec3 midnight = u_light > 0.5 ? vec3(0.86, 0.90, 1.0) : vec3(0.62, 0.70, 0.95);
  vec3 tint = mix(midnight, vec3(1.0), smoothstep(0.0, 0.75, u_daylight));
  float dim = u_light > 0.5 ? mix(0.90, 1.0, u_daylight) : mix(0.45, 2.1, u_daylight);
  return sky * tint * dim + vec3(0.16, 0.06, 0.01) * dusk * dusk * (1.0 - height) * (u_light > 0.5 ? 0.35 : 0.7);
}
vec3 night(vec2 uv) {
  vec3 low = ${vec3(night.low)}, mid = ${vec3(night.mid)}, high = ${vec3(night.high)};
  vec3 sky = mix(mix(low, mid, smoothstep(0.0, 0.45, uv.y)), high, smoothstep(0.35, 1.0, uv.y));
  float ember = exp(-3.5 * length((uv - vec2(0.5, -0.16)) * vec2(0.85, 1.5)));
  return sky + ${vec3(night.ember)} * ember;
}
vec3 day(vec2 uv) {
  vec3 low = ${vec3(day.low)}, mid = ${vec3(day.mid)}, high = ${vec3(day.high)};
  return mix(mix(low, mid, smoothstep(0.0, 0.5, uv.y)), high, smoothstep(0.4, 1.0, uv.y));
}
float noise(vec2 p) {
  return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715))));
}
void main() {
  vec4 trails = texture(u_trails, v_uv) * u_amount.x;
  vec4 near = texture(u_near, v_uv) * u_amount.y, far = texture(u_far, v_uv) * u_amount.z;
  vec2 gap = max(max(u_world.xy - v_uv, v_uv - u_world.zw), 0.0) * u_view;
  // The sky goes on outside a world with edges; a fine line and a breath of light inside it are its frame.
  float outside = smoothstep(0.0, 140.0, length(gap));
  vec2 inner = min(v_uv - u_world.xy, u_world.zw - v_uv) * u_view;
  float within = min(inner.x, inner.y);
  float edge = 1.0 - smoothstep(0.5, 1.5, abs(within));
  float rim = within > 0.0 ? exp(-within / 18.0) : 0.0;
  if (u_light > 0.5) {
    vec3 sky = hour(day(v_uv), v_uv.y) * (1.0 - 0.03 * outside - 0.16 * edge - 0.035 * rim);
    float ink = 1.0 - exp(-(trails.a + 0.35 * near.a));
    vec3 hue = (trails.rgb + near.rgb) / max(trails.a + near.a, 1e-4);
    sky = mix(sky, hue, clamp(ink, 0.0, 0.9)) * (1.0 - 0.16 * (1.0 - exp(-far.a)));
    color = vec4(sky, 1.0);
  } else {
    vec3 light = trails.rgb + near.rgb + far.rgb;
    float peak = max(max(light.r, light.g), light.b);
    light *= (1.0 - exp(-peak)) / max(peak, 1e-4);  // preserves the hue of bright areas
    color = vec4(hour(night(v_uv), v_uv.y) * (1.0 - 0.2 * outside) + vec3(0.10, 0.12, 0.17) * edge + vec3(0.02, 0.025, 0.04) * rim + light, 1.0);
  }
  color.rgb += (noise(gl_FragCoord.xy) - 0.5) / 160.0;  // hides banding of 8-bit gradients
}`;
