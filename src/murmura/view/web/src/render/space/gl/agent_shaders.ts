/** GLSL of agents in space: bodies by vertex pulling, streaks behind them, and their shadows. */

/** Shared by all passes over agents: two frames in integer textures, and the eye. */
const PULLED = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D u_from, u_to;             // two words per agent: x|y<<16, z|octahedral<<16
uniform usampler2D u_looks_from, u_looks_to; // three bytes per agent: speed|roll<<5|species<<10, extra
uniform vec3 u_low_from, u_low_to, u_sides_from, u_sides_to;
uniform vec3 u_wrap;               // sides along which the world wraps [u], else 0
uniform float u_alpha;             // how far between the two frames
const float TURN = 6.28318530718;
const ivec2 WIDTH_BITS = ivec2(2047, 11);

vec3 place(uvec2 words, vec3 low, vec3 sides) {
  return low + vec3(words.x & 0xffffu, words.x >> 16, words.y & 0xffffu) / 65535.0 * sides;
}
vec3 direction(uvec2 words) {
  vec2 p = vec2((words.y >> 16) & 0xffu, words.y >> 24) / 127.5 - 1.0;
  float z = 1.0 - abs(p.x) - abs(p.y);
  if (z < 0.0) p = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
  return normalize(vec3(p, z));
}
ivec2 texel_of(int k) {
  return ivec2(k & WIDTH_BITS.x, k >> WIDTH_BITS.y);
}
vec3 way_of(uvec2 a, uvec2 b) {
  vec3 way = place(b, u_low_to, u_sides_to) - place(a, u_low_from, u_sides_from);
  return way - vec3(greaterThan(u_wrap, vec3(0.0))) * u_wrap * round(way / max(u_wrap, vec3(1e-6)));
}
vec3 place_now(uvec2 a, vec3 way) {
  vec3 at = place(a, u_low_from, u_sides_from) + way * u_alpha;
  vec3 inside = u_low_to + mod(at - u_low_to, max(u_wrap, vec3(1e-6)));
  return mix(at, inside, vec3(greaterThan(u_wrap, vec3(0.0))));
}
`;

const GAZE = `
uniform vec3 u_eye, u_right, u_up, u_ahead;
uniform vec4 u_lens;               // focal / half the window across and down, where its axis meets the window [-1..1]
uniform vec2 u_range;              // nearest and farthest [u]
vec4 seen(vec3 at) {
  vec3 d = at - u_eye;
  float far = dot(d, u_ahead);
  vec2 p = vec2(dot(d, u_right), dot(d, u_up)) * u_lens.xy + u_lens.zw * far;
  return vec4(p, ((u_range.y + u_range.x) * far - 2.0 * u_range.y * u_range.x) / (u_range.y - u_range.x), far);
}
`;

const COLOURS = `
uniform vec2 u_gain;               // brightness against the sky, and against the ground
float gain_before(vec3 at) {
  return mix(u_gain.y, u_gain.x, smoothstep(-0.13, -0.02, normalize(at - u_eye).z));
}
uniform int u_mode;                // 0 heading, 1 species, 2 speed, 3 extra, 4 extra as a category
uniform sampler2D u_palette;
float colour_place(uvec3 looks, vec3 ahead) {
  uint packed_looks = looks.x | (looks.y << 8);
  if (u_mode == 0) return fract(atan(ahead.y, ahead.x) / TURN + 1.0);
  if (u_mode == 1) return (float(packed_looks >> 10) + 0.5) / 256.0;
  if (u_mode == 2) return float(packed_looks & 31u) / 31.0;
  if (u_mode == 4) return (float(looks.z) + 0.5) / 256.0;
  return float(looks.z) / 255.0;
}
`;

export const BODY_VERTEX = `${PULLED}${GAZE}${COLOURS}
uniform vec4 u_shape[48];          // corners: x, y, z, part + shade
uniform int u_corners;
uniform float u_half;              // half the length of a body [u]
uniform float u_clear;             // [u] bodies nearer to the camera than this shrink
uniform float u_least;             // least size in device px
uniform float u_pixels;            // device px per u at a distance of 1 u
uniform float u_seconds;           // simulated
uniform float u_beat;              // beats of wings or tails [rad/s]
uniform int u_hunters;             // bit k: species k hunts
uniform vec3 u_sun;
uniform vec2 u_still;              // ambient light and sunlight
out vec3 v_color;
out float v_far;
out float v_cover;

float hash(int k) {
  return fract(sin(float(k) * 12.9898 + 78.233) * 43758.5453);
}
void main() {
  int k = gl_VertexID / u_corners;
  vec4 corner = u_shape[gl_VertexID - k * u_corners];
  ivec2 texel = texel_of(k);
  uvec2 a = texelFetch(u_from, texel, 0).xy, b = texelFetch(u_to, texel, 0).xy;
  uvec3 looks_a = texelFetch(u_looks_from, texel, 0).xyz, looks = texelFetch(u_looks_to, texel, 0).xyz;
  vec3 at = place_now(a, way_of(a, b));
  vec3 ahead = normalize(mix(direction(a), direction(b), u_alpha) + vec3(1e-5, 0.0, 0.0));
  float roll_a = float(((looks_a.x | (looks_a.y << 8)) >> 5) & 31u), roll_b = float(((looks.x | (looks.y << 8)) >> 5) & 31u);
  float roll = (mix(roll_a, roll_b, u_alpha) / 15.5 - 1.0) * 1.5707963;
  vec3 level = abs(ahead.z) > 0.999 ? vec3(0.0, 1.0, 0.0) : normalize(vec3(-ahead.y, ahead.x, 0.0));
  vec3 upright = cross(ahead, level);
  vec3 left = level * cos(roll) - upright * sin(roll);
  vec3 back = upright * cos(roll) + level * sin(roll);

  float part = floor(corner.w), shade = fract(corner.w);
  vec3 p = corner.xyz;
  // Some glide for a while: a flock in which all wings beat looks mechanical.
  float own = hash(k), phase = u_seconds * u_beat * (0.85 + 0.3 * own) + own * 40.0;
  float gliding = smoothstep(0.55, 0.8, sin(0.13 * phase + 9.0 * own));
  vec3 normal = back;
  if (part == 1.0) {
    float side = sign(p.y), reach = abs(p.y);
    float inner = mix(0.62 * sin(phase), 0.14, gliding), outer = inner + mix(0.5 * sin(phase - 1.1), 0.06, gliding);
    float folded = mix(1.0, 0.9 + 0.1 * cos(phase), 1.0 - gliding);
    float near = min(reach, 0.75) - 0.12, beyond = max(reach - 0.75, 0.0) * folded;
    p.y = side * (0.12 + near * cos(inner) + beyond * cos(outer));
    p.z += near * sin(inner) + beyond * sin(outer);
    float slope = reach > 0.75 ? outer : inner;
    normal = normalize(back * cos(slope) - left * side * sin(slope));
  } else if (part == 2.0) {
    float sway = 0.16 * (0.35 - p.x) * smoothstep(0.9, -1.1, p.x) * sin(1.4 * phase + 2.4 * p.x);
    p.y += sway;
  }
  uint kind = (looks.x | (looks.y << 8)) >> 10;
  bool hunts = kind < 31u && ((u_hunters >> int(kind)) & 1) == 1;
  float far = max(dot(at - u_eye, u_ahead), 1e-3);
  float pixels = u_half * (hunts ? 2.1 : 1.0) * u_pixels / far;
  float shown = max(pixels, u_least) * smoothstep(0.55 * u_clear, u_clear, far);
  // Bodies of a few pixels are thicker; otherwise one that flies straight at the eye would vanish.
  if (part != 1.0) p.yz *= clamp(4.5 / max(shown, 0.1), 1.0, 2.4);
  v_cover = clamp(0.35 + 0.65 * pixels / u_least, 0.0, 1.0);
  vec3 corner_at = at + (p.x * ahead + p.y * left + p.z * back) * shown * far / u_pixels;
  float facing = part == 2.0 ? 0.5 + 0.5 * p.z : abs(dot(normal, u_sun));
  float glint = part == 1.0 ? pow(facing, 6.0) * 0.35 : 0.0;
  v_color = texture(u_palette, vec2(colour_place(looks, ahead), 0.5)).rgb * shade * gain_before(at) * (u_still.x + u_still.y * (facing + glint));
  v_far = far;
  gl_Position = seen(corner_at);
}`;

export const BODY_FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_color;
in float v_far;
in float v_cover;
uniform vec4 u_haze;               // colour, and the inverse of the distance at which it hides two thirds
out vec4 color;
void main() {
  float lost = 1.0 - exp(-pow(v_far * u_haze.w, 1.6));
  color = vec4(mix(v_color, u_haze.rgb, 0.85 * lost), 1.0) * v_cover;
}`;

/** A tapering streak behind each agent. */
export const STREAK_VERTEX = `${PULLED}${GAZE}${COLOURS}
uniform float u_half, u_least, u_pixels, u_clear;
uniform float u_stretch;           // length of a streak, in movements between two frames
out vec3 v_color;
out vec2 v_along;                  // 0 at the body .. 1 at its end; -1 .. 1 across
out float v_far;
void main() {
  int k = gl_VertexID / 3, corner = gl_VertexID - 3 * k;
  ivec2 texel = texel_of(k);
  uvec2 a = texelFetch(u_from, texel, 0).xy, b = texelFetch(u_to, texel, 0).xy;
  vec3 way = way_of(a, b);
  vec3 at = place_now(a, way);
  vec3 ahead = normalize(mix(direction(a), direction(b), u_alpha) + vec3(1e-5, 0.0, 0.0));
  vec3 tail = at - way * u_stretch;
  vec3 sideways = normalize(cross(ahead, at - u_eye) + vec3(0.0, 0.0, 1e-6));
  float far = max(dot(at - u_eye, u_ahead), 1e-3);
  float wide = max(0.42 * u_half, 0.8 * u_least * far / u_pixels) * smoothstep(0.55 * u_clear, u_clear, far);
  vec3 p = corner == 2 ? tail : at + sideways * wide * (corner == 0 ? 1.0 : -1.0);
  v_along = vec2(corner == 2 ? 1.0 : 0.0, corner == 2 ? 0.0 : corner == 0 ? 1.0 : -1.0);
  v_color = texture(u_palette, vec2(colour_place(texelFetch(u_looks_to, texel, 0).xyz, ahead), 0.5)).rgb * gain_before(at);
  v_far = far;
  gl_Position = seen(p);
}`;

export const STREAK_FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_color;
in vec2 v_along;
in float v_far;
uniform vec4 u_haze;
uniform vec2 u_light;              // brightness, opacity
out vec4 color;
void main() {
  float there = (1.0 - v_along.x) * (1.0 - v_along.x) * exp(-pow(v_far * u_haze.w, 1.6));
  color = vec4(v_color * u_light.x, u_light.y) * there;
}`;

/** One point per agent, directly below it. */
export const SHADOW_VERTEX = `${PULLED}
uniform float u_size;
out float v_height;
void main() {
  ivec2 texel = texel_of(gl_VertexID);
  uvec2 a = texelFetch(u_from, texel, 0).xy, b = texelFetch(u_to, texel, 0).xy;
  vec3 at = place_now(a, way_of(a, b));
  vec3 share = (at - u_low_to) / u_sides_to;
  v_height = share.z;
  gl_Position = vec4(share.xy * 1.6 - 0.8, 0.0, 1.0); // a margin around the world, for blur across its edge
  gl_PointSize = u_size;
}`;

export const SHADOW_FRAGMENT = `#version 300 es
precision highp float;
in float v_height;
out vec4 color;
void main() {
  color = vec4(1.0 - 0.6 * clamp(v_height, 0.0, 1.0));
}`;
