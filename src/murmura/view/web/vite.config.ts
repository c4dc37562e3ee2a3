import { defineConfig } from "vitest/config";

/** lil-gui ships its arrows as a font in a data: address, which the content security policy refuses; plain characters replace them. */
const withoutDataFonts = {
  name: "without-data-fonts",
  enforce: "pre" as const,
  transform(code: string, id: string): string | null {
    return id.includes("lil-gui") && id.endsWith(".css") ? code.replace(/@font-face\s*\{[^}]*\}/g, "") : null;
  },
};

/** Entries that Python embeds as single files: each is built separately (`--mode`), otherwise they would import shared chunks. */
const WHOLE: Record<string, string> = { notebook: "src/notebook.ts", standalone: "src/standalone/standalone.ts" };

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [withoutDataFonts],
  build: {
    outDir: "../static",
    emptyOutDir: !(mode in WHOLE),
    target: "es2022",
    assetsInlineLimit: 0, // the same policy refuses data: addresses of scripts and styles
    modulePreload: false,
    rollupOptions: {
      input: mode in WHOLE ? [WHOLE[mode]] : ["index.html", "compare.html"],
      preserveEntrySignatures: "exports-only", // anywidget imports the exports of the notebook entry
      output: { entryFileNames: mode in WHOLE ? "[name].js" : "assets/[name]-[hash].js" },
    },
  },
  server: { fs: { allow: ["../.."] }, proxy: { "/ws": { target: "ws://127.0.0.1:8123", ws: true } } },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000 }, // a busy machine must not fail tests
}));
