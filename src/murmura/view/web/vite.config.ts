import { defineConfig } from "vitest/config";

/** lil-gui ships its arrows as a font in a data: address, which the content security policy refuses; plain characters replace them. */
const withoutDataFonts = {
  name: "without-data-fonts",
  enforce: "pre" as const,
  transform(code: string, id: string): string | null {
    return id.includes("lil-gui") && id.endsWith(".css") ? code.replace(/@font-face\s*\{[^}]*\}/g, "") : null;
  },
};

/** Each entry is built separately (`--mode`), otherwise they would import shared chunks: Python embeds the page, the notebook's
 * and the exported page's script as single files. */
const PAGES: Record<string, string> = { production: "index.html", compare: "compare.html" };
const WHOLE: Record<string, string> = { notebook: "src/notebook.ts", standalone: "src/standalone/standalone.ts" };

export default defineConfig(({ mode }) => ({
  base: "./",
  plugins: [withoutDataFonts],
  build: {
    outDir: "../static",
    emptyOutDir: mode === "production",
    target: "es2022",
    assetsInlineLimit: 0, // the same policy refuses data: addresses of scripts and styles
    modulePreload: false,
    rollupOptions: {
      input: [WHOLE[mode] ?? PAGES[mode] ?? "index.html"],
      preserveEntrySignatures: "exports-only", // anywidget imports the exports of the notebook entry
      output: { entryFileNames: mode in WHOLE ? "[name].js" : "assets/[name]-[hash].js" },
    },
  },
  server: { fs: { allow: ["../.."] }, proxy: { "/ws": { target: "ws://127.0.0.1:8123", ws: true } } },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 60_000 }, // a busy machine must not fail tests
}));
