import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, transform } from 'esbuild'
import { ENDING_BESIDE, MODULES_BESIDE } from './bundle-actions.ts'
import { flowsSource, manifestsSource, pipelinesSource, sourceOf } from './definitions.ts'
import type { DirectImports } from './direct-imports.ts'

const root = join(import.meta.dirname, '../..')

/** Replaces zod in our own code by one that builds schemas on first use. */
export const deferZod: Plugin = {
  name: 'defer-zod',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^zod$/ }, ({ importer }) =>
      importer.includes('node_modules')
        ? undefined
        : { path: join(import.meta.dirname, 'deferred-zod.ts'), sideEffects: false },
    )
  },
}

/** Only zod's English messages, because the other languages are half of it. */
export const zodInEnglish: Plugin = {
  name: 'zod-in-english',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js'`,
      resolveDir: dirname(path),
    }))
  },
}

/**
 * Reads our own sources: imports point to the files themselves, and a file knows its own path,
 * which the bundle would lose.
 */
export const readSources = ({ rewrite }: DirectImports): Plugin => ({
  name: 'read-sources',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(packages|library)\/.*\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined
      const text = rewrite(await readFile(path, 'utf8'), path)
      const resolveDir = dirname(path)
      if (!text.includes('import.meta')) return { contents: text, loader: 'ts', resolveDir }
      const { code } = await transform(text, {
        loader: 'ts',
        target: 'esnext',
        define: { 'import.meta': 'importMeta' },
      })
      const place = JSON.stringify(relative(root, path))
      return { contents: `const importMeta = importMetaOf(${place});\n${code}`, resolveDir }
    })
  },
})

/** Modules of Node that are slow to load and rarely needed. */
const LATE: ReadonlySet<string> = new Set(
  [
    ...['child_process', 'crypto', 'dgram', 'diagnostics_channel', 'dns', 'dns/promises'],
    ...['fs/promises', 'http', 'http2', 'https', 'net', 'perf_hooks', 'querystring', 'readline'],
    ...[
      'readline/promises',
      'sqlite',
      'stream',
      'stream/promises',
      'stream/web',
      'timers/promises',
    ],
    ...['tls', 'util/types', 'worker_threads', 'zlib'],
  ].flatMap((name) => [name, `node:${name}`]),
)

/** CommonJS packages inherit from what `require('stream')` returns, which must be the class itself. */
const isBaseClass = (path: string, kind: string): boolean =>
  /^(node:)?stream$/.test(path) && kind === 'require-call'

/** Loads a module of Node on first use instead of on import. */
export const loadBuiltinsLate: Plugin = {
  name: 'load-builtins-late',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ path, kind }) =>
      LATE.has(path) && kind !== 'dynamic-import' && !isBaseClass(path, kind)
        ? { path: path.replace(/^(node:)?/, 'node:'), namespace: 'late' }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'late' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {})
      const builtin = `builtin ??= process.getBuiltinModule(${JSON.stringify(path)})`
      const contents = `let builtin
        for (const name of ${JSON.stringify(names)}) {
          Object.defineProperty(exports, name, { enumerable: true, get: () => (${builtin})[name] })
        }`
      return { contents }
    })
  },
}

/** Packages that stay outside, because they are large: found at run time below `EDGE_ROOT`. */
const OUTSIDE = /^(esbuild|miniflare)$/

/** Loads each on first use, so that a command can offer to install them before. */
export const leaveOutside: Plugin = {
  name: 'leave-outside',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: OUTSIDE }, ({ path, importer }) => ({
      path: `${path}?${importer}`,
      namespace: 'outside',
    }))
    onLoad({ filter: /./, namespace: 'outside' }, async ({ path }) => {
      const [name = '', importer = ''] = path.split('?')
      const imported = namesImported(await readFile(importer, 'utf8'), name)
      const contents = `const { requireFromEdge } = require('./packages/edge/src/edge-root.ts')
        for (const name of ${JSON.stringify(imported)}) {
          const get = () => requireFromEdge(${JSON.stringify(name)})[name]
          Object.defineProperty(exports, name, { enumerable: true, get })
        }`
      return { contents, resolveDir: root }
    })
  },
}

/** The values that a source imports from a package by name. */
const namesImported = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^import \\{([^}]*)\\} from '${name}'`, 'gm'))].flatMap(
    ([, list = '']) =>
      list
        .split(',')
        .map((each) => each.trim().replace(/ as .*$/, ''))
        .filter((each) => each !== '' && !each.startsWith('type ')),
  )

/**
 * Tells the program where the modules beside it are, and the manifest of each action of the library
 * with the hash of the files it was made from; `withActions` if their modules are beside the program
 * too.
 */
export const nameHostFiles = (
  hashes: Readonly<Record<string, string>>,
  withActions: boolean,
): Plugin => ({
  name: 'name-host-files',
  setup: ({ onLoad }) => {
    for (const { namedIn, constant, out } of MODULES_BESIDE) {
      const file = JSON.stringify(`/${out}${ENDING_BESIDE}`)
      onLoad({ filter: new RegExp(`/${namedIn.replaceAll('.', '\\.')}$`) }, () => ({
        contents: `export const ${constant} = programFolder + ${file}`,
      }))
    }
    onLoad({ filter: /\/catalog\/bundled-actions\.ts$/ }, () => {
      const rows = Object.entries(hashes).map(([name, hash]) => {
        const path = JSON.stringify(`/library/actions/${name}/action.js`)
        const file = withActions ? `, file: programFolder + ${path}` : ''
        return `${name}: { hash: '${hash}'${file} }`
      })
      return { contents: `export const BUNDLED_ACTIONS = {${rows.join(',\n')}}`, resolveDir: root }
    })
  },
})

/** Reads and validates the manifests, pipelines and flows of the library at build time. */
export const bundleDefinitions = (actions: readonly string[]): Plugin => ({
  name: 'bundle-definitions',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/catalog\/bundled-definitions\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = [
        text.replaceAll(/^export const (?=BUNDLED_)/gm, 'const unfilled_'),
        `export const BUNDLED_MANIFESTS = ${manifestsSource(actions)}`,
        `export const BUNDLED_PIPELINES = ${pipelinesSource()}`,
        `export const BUNDLED_FLOWS = ${flowsSource()}`,
      ].join('\n')
      return { contents, loader: 'ts', resolveDir: dirname(path) }
    })
  },
})

/** Computes constants at build time: the built-in routing table and the default settings. */
export const readConstants: Plugin = {
  name: 'read-constants',
  setup: ({ onLoad }) => {
    onLoad(
      { filter: /\/(routing\/built-in-table|home\/default-settings)\.ts$/ },
      async ({ path }) => {
        const table: Record<string, () => unknown> = await import(pathToFileURL(path).href)
        const parsed = Object.entries(table).map(([name, read]) => {
          const source = sourceOf(read())
          if (source === undefined)
            throw new Error(`${name} returns something that JSON does not keep`)
          return `export const ${name} = () => ${source}`
        })
        // The source is kept, unused and removed in the end, so that its imports count as inputs.
        const source = (await readFile(path, 'utf8')).replaceAll(
          /^export const /gm,
          'export const unparsed_',
        )
        return {
          contents: [source, ...parsed].join('\n'),
          loader: 'ts',
          resolveDir: dirname(path),
        }
      },
    )
  },
}
