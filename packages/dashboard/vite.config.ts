import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

/**
 * The chunk that all pages share is read beside the program. As a module preload it would be read
 * twice: Chromium discards preloads that a service worker answers, and reports that on the console.
 */
const readSharedChunksAsScripts: Plugin = {
  name: 'shared-chunks-as-scripts',
  transformIndexHtml: {
    order: 'post',
    handler: (html) =>
      html.replace(
        /<link rel="modulepreload" crossorigin href="([^"]+)">/g,
        '<script type="module" crossorigin src="$1"></script>',
      ),
  },
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte(), readSharedChunksAsScripts],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The daemon's content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    // `npx vite packages/dashboard` beside a running daemon, for developing the pages.
    proxy: Object.fromEntries(
      ['/api', '/assistant/', '/auth', '/hooks', '/notify', '/voice', '/health'].map((path) => [
        path,
        `http://127.0.0.1:${process.env.STEWARD_PORT ?? '31337'}`,
      ]),
    ),
  },
})
