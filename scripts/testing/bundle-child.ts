import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { nameBuiltModule } from './built-modules.ts'

/** They find their own files beside themselves. */
const LEFT_OUTSIDE = /^(?:esbuild|miniflare|workerd|wrangler)$/

/** For packages that are not modules. No source has such a name. */
const REQUIRE = `import { createRequire as createRequireOfChild } from 'node:module'
const require = createRequireOfChild(import.meta.url)`

/** Sources keep their own place, and start compiled programs. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup: ({ onLoad, onResolve, resolve }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined
      const text = nameBuiltModule(path) ?? (await readFile(path, 'utf8'))
      const contents = text.replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      return { contents, loader: 'ts' }
    })
    onResolve({ filter: LEFT_OUTSIDE }, async ({ path, pluginData, ...from }) => {
      if (pluginData === keepPlaces) return undefined
      const { kind, importer, resolveDir } = from
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: keepPlaces })
      return { path: found.path, external: true }
    })
  },
}

/**
 * Bundles a program that tests start as a child process into one file in `folder`, because it then
 * starts in a tenth of the time. Programs that are killed leave no compile cache behind, so that
 * each start would compile all sources again.
 */
export const bundleChild = async (program: string, folder: string): Promise<string> => {
  const outfile = join(folder, basename(program).replace(/\.ts$/, '.mjs'))
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: REQUIRE },
    plugins: [keepPlaces],
    logLevel: 'error',
  })
  return outfile
}
