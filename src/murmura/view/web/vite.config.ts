import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../static",
    emptyOutDir: true,
    target: "es2022",
    // An inlined data: address would be refused by the content security policy for anything but pictures.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  server: { proxy: { "/ws": { target: "ws://127.0.0.1:8123", ws: true } } },
  test: { include: ["tests/**/*.test.ts"] },
});
