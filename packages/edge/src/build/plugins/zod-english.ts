import { dirname, sep } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Our messages are English, and zod would add forty languages: two fifths of a small worker. Only
 * the copy that our packages use is reduced; an action's own copy stays complete.
 */
export const zodEnglish = (contract: string): Plugin => ({
  name: 'steward-zod-english',
  setup: ({ onResolve, onLoad, resolve }) => {
    let ours: Promise<string> | undefined
    const findOurs = async (): Promise<string> => {
      const found = await resolve('zod/package.json', {
        kind: 'import-statement',
        resolveDir: dirname(contract),
      })
      return dirname(found.path) + sep
    }
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, async ({ importer, resolveDir }) => {
      ours ??= findOurs()
      if (!importer.startsWith(await ours)) return undefined
      return { path: 'locales', namespace: 'zod-english', pluginData: resolveDir }
    })
    onLoad({ filter: /.*/, namespace: 'zod-english' }, ({ pluginData }) => ({
      contents: `export { default as en } from '../locales/en.js'`,
      resolveDir: String(pluginData),
    }))
  },
})
