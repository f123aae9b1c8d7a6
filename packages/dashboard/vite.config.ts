import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte()],
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
