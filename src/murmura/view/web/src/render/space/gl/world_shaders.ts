/** GLSL of the background of a flock in space: sky or water, ground with soft shadows, haze, and the frame of the world. */

export const BACKDROP_VERTEX = `#version 300 es
out vec2 v_at;                     // -1 .. 1
void main() {
  v_at = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0;
  gl_Position = vec4(v_at, 0.0, 1.0);
}`;

/** One ray per pixel, which meets the ground or not. */
export const BACKDROP_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_at;
uniform vec3 u_eye, u_right, u_up, u_ahead;
uniform vec4 u_lens;
uniform vec3 u_low, u_sides;       // of the world [u]
uniform vec3 u_sun;
uniform int u_place;               // 0 air over ground, 1 water, 2 nowhere
uniform float u_day;               // 1: the light theme
uniform float u_hour;              // 0 midnight .. 1 noon; negative: dusk
uniform float u_seconds;
uniform float u_grid;              // [u] spacing
uniform float u_ruled;             // 1: the ground has a grid
uniform float u_haze;              // inverse of the distance at which haze hides two thirds
uniform float u_pixel;             // how wide a pixel is at 1 u [u]
uniform sampler2D u_shadow;
uniform float u_dark;              // of shadows
out vec4 color;

float noise(vec2 p) {
  return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715))));
}
vec3 dusk(vec3 ray) {
  float high = max(ray.z, 0.0);
  float near = 0.5 + 0.5 * dot(normalize(ray.xy + 1e-5), normalize(u_sun.xy));
  float glow = pow(near, 3.0);
  vec3 low, mid, top;
  if (u_day > 0.5) {
    low = mix(vec3(0.930, 0.885, 0.860), vec3(1.0, 0.850, 0.690), glow);
    mid = mix(vec3(0.860, 0.880, 0.905), vec3(0.955, 0.905, 0.860), glow);
    top = vec3(0.690, 0.785, 0.880);
  } else {
    low = mix(vec3(0.400, 0.290, 0.360), vec3(0.985, 0.560, 0.290), glow);
    mid = mix(vec3(0.225, 0.215, 0.350), vec3(0.560, 0.330, 0.385), glow);
    top = vec3(0.075, 0.095, 0.190);
  }
  vec3 sky = mix(mix(low, mid, smoothstep(0.0, 0.26, high)), top, smoothstep(0.12, 0.70, high));
  float sun = max(dot(ray, u_sun), 0.0);
  sky += (u_day > 0.5 ? vec3(0.06, 0.04, 0.01) : vec3(0.22, 0.12, 0.04)) * (0.35 * pow(sun, 10.0) + 0.8 * pow(sun, 160.0));
  return sky;
}
vec3 hour(vec3 sky) {
  if (u_hour < 0.0) return sky;
  float dim = u_day > 0.5 ? mix(0.86, 1.03, u_hour) : mix(0.42, 1.9, u_hour);
  return sky * mix(vec3(0.72, 0.80, 1.0), vec3(1.0), smoothstep(0.0, 0.7, u_hour)) * dim;
}
vec3 water(vec3 ray) {
  float up = 0.5 + 0.5 * ray.z;
  vec3 deep = u_day > 0.5 ? vec3(0.500, 0.690, 0.740) : vec3(0.006, 0.036, 0.070);
  vec3 mid = u_day > 0.5 ? vec3(0.720, 0.855, 0.880) : vec3(0.018, 0.115, 0.165);
  vec3 top = u_day > 0.5 ? vec3(0.930, 0.980, 0.985) : vec3(0.120, 0.420, 0.470);
  vec3 sea = mix(mix(deep, mid, smoothstep(0.15, 0.5, up)), top, smoothstep(0.48, 0.85, up));
  // Shafts of light from the surface.
  float angle = atan(ray.y, ray.x);
  float shafts = 0.5 + 0.5 * sin(angle * 23.0 + 0.15 * u_seconds) * sin(angle * 9.0 - 0.11 * u_seconds + 1.7);
  return sea + (u_day > 0.5 ? 0.05 : 0.055) * shafts * smoothstep(-0.1, 0.75, ray.z) * vec3(0.6, 1.0, 0.95);
}
vec3 nowhere(vec3 ray) {
  float up = 0.5 + 0.5 * ray.z;
  return u_day > 0.5
    ? mix(vec3(0.900, 0.890, 0.885), vec3(0.930, 0.950, 0.975), smoothstep(0.2, 0.8, up))
    : mix(vec3(0.040, 0.040, 0.075), vec3(0.082, 0.100, 0.162), smoothstep(0.15, 0.85, up));
}
vec3 around(vec3 ray) {
  if (u_place == 1) return water(ray);
  if (u_place == 2) return nowhere(ray);
  return hour(dusk(ray));
}
/** Lines of a grid, one pixel wide at any distance; they fade where they would merge. */
float grid(vec2 p, float wide) {
  vec2 away = abs(fract(p / u_grid - 0.5) - 0.5) * u_grid;
  vec2 line = 1.0 - smoothstep(0.4 * wide, 1.4 * wide, away);
  return max(line.x, line.y) * (1.0 - smoothstep(0.08, 0.35, wide / u_grid));
}
float caustics(vec2 p) {
  vec2 q = p * 0.045;
  float t = 0.5 * u_seconds, sum = 0.0;
  for (int k = 0; k < 3; k++) {
    q += vec2(sin(q.y * 1.7 + t), cos(q.x * 1.6 - t)) * 0.75;
    sum += abs(sin(q.x + q.y * 0.7));
    q = q * 1.35 + 1.3;
  }
  return pow(1.0 - sum / 3.0, 3.0);
}
vec4 ground(vec3 at, float far, vec3 ray) {
  vec2 share = (at.xy - u_low.xy) / u_sides.xy;
  vec2 out_by = max(max(-share, share - 1.0), 0.0) * u_sides.xy;
  float inside = 1.0 - smoothstep(0.0, 2.0 * u_pixel * far, max(out_by.x, out_by.y));
  vec2 uv = share * 0.8 + 0.1;
  bool known = all(greaterThanEqual(uv, vec2(0.0))) && all(lessThanEqual(uv, vec2(1.0)));
  float shadow = known ? 1.0 - exp(-u_dark * texture(u_shadow, uv).a) : 0.0;
  float lines = u_ruled * grid(at.xy - u_low.xy, u_pixel * far / max(0.15, abs(ray.z))) * inside;
  vec3 land;
  if (u_place == 1) {
    land = u_day > 0.5 ? vec3(0.790, 0.850, 0.800) : vec3(0.040, 0.125, 0.145);
    land *= 1.0 + (u_day > 0.5 ? 0.14 : 1.1) * caustics(at.xy) * inside;
    land = mix(land, land * (u_day > 0.5 ? 0.86 : 1.7), 0.45 * lines);
  } else {
    float patches = 0.5 + 0.5 * sin(at.x * 0.0061 + 1.3 * sin(at.y * 0.0043)) * sin(at.y * 0.0057 + 0.9);
    land = u_day > 0.5 ? mix(vec3(0.770, 0.775, 0.710), vec3(0.820, 0.800, 0.720), patches)
                       : mix(vec3(0.060, 0.056, 0.076), vec3(0.098, 0.082, 0.092), patches);
    float towards = 0.5 + 0.5 * dot(normalize(ray.xy + 1e-5), normalize(u_sun.xy));
    land += (u_day > 0.5 ? vec3(0.05, 0.02, -0.02) : vec3(0.16, 0.06, 0.02)) * pow(towards, 4.0) * (1.0 - abs(ray.z));
    land = mix(land, u_day > 0.5 ? vec3(0.55) : vec3(0.34, 0.31, 0.40), (u_day > 0.5 ? 0.22 : 0.20) * lines);
  }
  land *= 1.0 - (u_day > 0.5 ? 0.55 : 0.75) * shadow;
  float lost = 1.0 - exp(-pow(far * u_haze, 1.6));
  return vec4(land, lost);
}
void main() {
  vec3 ray = normalize(u_ahead + u_right * ((v_at.x - u_lens.z) / u_lens.x) + u_up * ((v_at.y - u_lens.w) / u_lens.y));
  vec3 sky = around(ray);
  float down = u_low.z - u_eye.z;
  float far = down / (abs(ray.z) < 1e-5 ? 1e-5 : ray.z);
  if (far > 0.0) {
    vec3 at = u_eye + ray * far;
    if (u_place == 2) {
      vec2 share = (at.xy - u_low.xy) / u_sides.xy;
      bool inside = all(greaterThanEqual(share, vec2(0.0))) && all(lessThanEqual(share, vec2(1.0)));
      float lines = inside ? grid(at.xy - u_low.xy, u_pixel * far / max(0.15, abs(ray.z))) : 0.0;
      float shadow = inside ? 1.0 - exp(-u_dark * texture(u_shadow, share * 0.8 + 0.1).a) : 0.0;
      sky *= inside ? (u_day > 0.5 ? 0.985 - 0.30 * shadow : 0.90 - 0.60 * shadow) : 1.0;
      sky += (u_day > 0.5 ? -0.11 : 0.060) * lines * exp(-pow(far * u_haze, 1.6));
    } else if (u_eye.z > u_low.z) {
      vec4 land = ground(at, far, ray);
      vec3 level = around(normalize(vec3(ray.xy, 0.015)));
      sky = mix(land.rgb, level, land.a);
    }
  }
  color = vec4(sky + (noise(gl_FragCoord.xy) - 0.5) / 160.0, 1.0);
}`;

export const FRAME_VERTEX = `#version 300 es
precision highp float;
uniform vec3 u_eye, u_right, u_up, u_ahead;
uniform vec4 u_lens;
uniform vec2 u_range;
uniform vec3 u_low, u_sides;
uniform vec2 u_strength;           // of the floor's edges, and of the others
out float v_strength;
out float v_far;
void main() {
  // Twelve edges: four along each axis.
  int edge = gl_VertexID / 2, end = gl_VertexID - 2 * edge, axis = edge / 4, which = edge - 4 * axis;
  vec2 side = vec2(which & 1, which >> 1);
  vec3 share = axis == 0 ? vec3(end, side) : axis == 1 ? vec3(side.x, end, side.y) : vec3(side, end);
  vec3 d = u_low + share * u_sides - u_eye;
  float far = dot(d, u_ahead);
  v_far = far;
  v_strength = axis < 2 && side.y == 0.0 ? u_strength.x : u_strength.y;
  vec2 p = vec2(dot(d, u_right), dot(d, u_up)) * u_lens.xy + u_lens.zw * far;
  gl_Position = vec4(p, ((u_range.y + u_range.x) * far - 2.0 * u_range.y * u_range.x) / (u_range.y - u_range.x), far);
}`;

export const FRAME_FRAGMENT = `#version 300 es
precision highp float;
in float v_strength;
in float v_far;
uniform vec3 u_ink;
uniform float u_haze;
out vec4 color;
void main() {
  color = vec4(u_ink, 1.0) * v_strength * exp(-0.6 * pow(v_far * u_haze, 1.6));
}`;

export const SOLID_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 a_place;
layout(location = 1) in vec3 a_facing;
uniform vec3 u_eye, u_right, u_up, u_ahead;
uniform vec4 u_lens;
uniform vec2 u_range;
out vec3 v_facing, v_away;
out float v_far;
void main() {
  vec3 d = a_place - u_eye;
  float far = dot(d, u_ahead);
  v_facing = a_facing;
  v_away = d;
  v_far = far;
  vec2 p = vec2(dot(d, u_right), dot(d, u_up)) * u_lens.xy + u_lens.zw * far;
  gl_Position = vec4(p, ((u_range.y + u_range.x) * far - 2.0 * u_range.y * u_range.x) / (u_range.y - u_range.x), far);
}`;

/** Light from the sky, from the west and a little from the camera, and a pale rim: faces of an obstacle differ even without a sun. */
export const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_facing, v_away;
in float v_far;
uniform vec3 u_stone;
uniform vec4 u_haze;               // colour, and the inverse of the distance at which it hides two thirds
uniform float u_cover;
out vec4 color;
void main() {
  vec3 facing = normalize(v_facing), back = -normalize(v_away);
  float towards = max(dot(facing, back), 0.0);
  float from_side = max(dot(facing, vec3(-0.72, -0.36, 0.6)), 0.0);
  float lit = 0.36 + 0.24 * (0.5 + 0.5 * facing.z) + 0.42 * from_side + 0.24 * towards + 0.30 * pow(1.0 - towards, 4.0);
  float lost = 1.0 - exp(-pow(v_far * u_haze.w, 1.6));
  color = vec4(mix(u_stone * lit, u_haze.rgb, 0.85 * lost), 1.0) * u_cover;
}`;
