/** GLSL of lines, discs and faces among the animals: a strip of four corners for each row of a batch. */

export const PRIMITIVE_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 a_a;
layout(location = 1) in vec3 a_b;
layout(location = 2) in vec3 a_c;
layout(location = 3) in vec4 a_color;
layout(location = 4) in float a_kind;   // 0 line, 1 disc, 2 face
uniform vec3 u_eye, u_right, u_up, u_ahead;
uniform vec4 u_lens;
uniform vec2 u_range;
uniform vec2 u_half;               // half the picture [px]
uniform float u_dpr;
uniform float u_thin;              // width of lines, 1 in full
out vec2 v_at;                     // line: px across and along; disc: -1 .. 1
out vec4 v_color;
flat out vec4 v_how;               // kind; line: width, dash and gap [px]; disc: opacity in the middle and at the rim
vec4 seen(vec3 at) {
  vec3 d = at - u_eye;
  float far = dot(d, u_ahead);
  vec2 p = vec2(dot(d, u_right), dot(d, u_up)) * u_lens.xy + u_lens.zw * far;
  return vec4(p, ((u_range.y + u_range.x) * far - 2.0 * u_range.y * u_range.x) / (u_range.y - u_range.x), far);
}
/** Screen and depth are linear along a line on the screen, so that dashes have a length in pixels. */
void line(vec2 side) {
  vec3 how = a_c * u_dpr;
  v_how = vec4(0.0, how.x * u_thin, how.yz);
  float near = 2.0 * u_range.x, far_a = dot(a_a - u_eye, u_ahead), far_b = dot(a_b - u_eye, u_ahead);
  if (max(far_a, far_b) <= near) return;
  vec4 p = seen(far_a < near ? mix(a_a, a_b, (near - far_a) / (far_b - far_a)) : a_a);
  vec4 q = seen(far_b < near ? mix(a_b, a_a, (near - far_b) / (far_a - far_b)) : a_b);
  p /= p.w;
  q /= q.w;
  vec2 way = (q.xy - p.xy) * u_half;
  float size = length(way);
  vec2 ahead = size > 1e-4 ? way / size : vec2(1.0, 0.0);
  float wide = 0.5 * max(v_how.y, 1.0) + 0.5;
  v_at = vec2(side.x * wide, side.y < 0.0 ? 0.0 : size);
  vec4 end = side.y < 0.0 ? p : q;
  gl_Position = vec4(end.xy + vec2(-ahead.y, ahead.x) * side.x * wide / u_half, end.z, 1.0);
}
void main() {
  vec2 side = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  v_color = a_color;
  v_at = side;
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // nowhere
  if (a_kind == 0.0) {
    line(side);
  } else if (a_kind == 1.0) {
    v_how = vec4(1.0, a_b.yz, 0.0);
    float far = dot(a_a - u_eye, u_ahead), rest = far * far - a_b.x * a_b.x;
    if (far <= 0.0 || rest <= 0.0) return; // the eye is inside
    gl_Position = seen(a_a + (u_right * side.x + u_up * side.y) * a_b.x * far * inversesqrt(rest));
  } else {
    v_how = vec4(2.0, 0.0, 0.0, 0.0);
    gl_Position = seen(gl_VertexID == 0 ? a_a : gl_VertexID == 1 ? a_b : a_c);
  }
}`;

export const PRIMITIVE_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_at;
in vec4 v_color;
flat in vec4 v_how;
uniform float u_strength;
out vec4 color;
void main() {
  float cover = v_color.a * u_strength;
  if (v_how.x == 0.0) {
    cover *= min(v_how.y, 1.0) * clamp(0.5 * max(v_how.y, 1.0) + 0.5 - abs(v_at.x), 0.0, 1.0);
    if (v_how.z > 0.0 && mod(v_at.y, v_how.z + v_how.w) > v_how.z) discard;
  } else if (v_how.x == 1.0) {
    float away = length(v_at);
    if (away > 1.0) discard;
    // A ball is lit from the upper left; a glow fades outwards.
    float lit = min(1.0, length(v_at - vec2(-0.35, 0.4) * (1.0 - away)));
    cover *= v_how.z > v_how.y ? mix(v_how.y, v_how.z, lit) : v_how.y * (1.0 - away) * (1.0 - away);
  }
  color = vec4(v_color.rgb, 1.0) * cover;
}`;
