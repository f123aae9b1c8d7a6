import { join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/** CommonJS packages inside the bundle ask for Node's own modules with `require`. */
const REQUIRE = `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);`

export interface HostFiles {
  /** Text by path in the folder of the program or package. */
  files: Map<string, string>
  metafile: Metafile
}

/** A module that other processes and threads load from a file beside the program. */
export interface ModuleBeside {
  /** The source that names its place, and the constant in it. */
  namedIn: string
  constant: string
  source: string
  /** Its file in the folder of the program, without the ending. */
  out: string
}

export const MODULES_BESIDE: readonly ModuleBeside[] = [
  {
    namedIn: 'packages/runner/src/action-host/host-program.ts',
    constant: 'HOST_PROGRAM',
    source: 'packages/runner/src/action-host/host/main.ts',
    out: 'action-host',
  },
  {
    namedIn: 'packages/hosted/src/hands/web/page-module.ts',
    constant: 'PAGE_MODULE',
    source: 'packages/hosted/src/hands/web/read-page.ts',
    out: 'read-page',
  },
  {
    namedIn: 'packages/runner/src/feed-reader/feed-module.ts',
    constant: 'FEED_MODULE',
    source: 'packages/runner/src/feed-reader/parse-feed-body.ts',
    out: 'parse-feed',
  },
  {
    namedIn: 'packages/runner/src/offline-model/offline-module.ts',
    constant: 'OFFLINE_MODULE',
    source: 'packages/runner/src/offline-model/answer-offline.ts',
    out: 'answer-offline',
  },
  {
    namedIn: 'packages/platform/src/large-redaction/redaction-module.ts',
    constant: 'REDACTION_MODULE',
    source: 'packages/platform/src/large-redaction/redact-records.ts',
    out: 'redact-records',
  },
  {
    namedIn: 'packages/knowledge/src/render/markdown-module.ts',
    constant: 'MARKDOWN_MODULE',
    source: 'packages/knowledge/src/render/render-sent-text.ts',
    out: 'render-markdown',
  },
  {
    namedIn: 'packages/knowledge/src/search/index-module.ts',
    constant: 'INDEX_MODULE',
    source: 'packages/knowledge/src/search/index-sent-text.ts',
    out: 'index-text',
  },
  {
    namedIn: 'packages/assistants/src/usage/import-module.ts',
    constant: 'IMPORT_MODULE',
    source: 'packages/assistants/src/usage/import-share.ts',
    out: 'import-usage',
  },
  {
    namedIn: 'packages/assistants/src/usage/report-module.ts',
    constant: 'REPORT_MODULE',
    source: 'packages/assistants/src/usage/read-report.ts',
    out: 'report-usage',
  },
]
export const ENDING_BESIDE = '.mjs'

/** The program that runs inside an action host, and the modules of reader threads. */
export const bundleBeside = (): Promise<HostFiles> =>
  bundle(
    MODULES_BESIDE.map(({ source, out }) => ({ in: source, out })),
    // Each is loaded alone, where it may read no other file.
    { outExtension: { '.js': ENDING_BESIDE }, splitting: false },
  )

/** The actions of the library with everything they import, as a host loads them. */
export const bundleActions = (names: readonly string[]): Promise<HostFiles> =>
  bundle(
    names.map((name) => ({ in: sourceOf(name), out: `library/actions/${name}/action` })),
    { splitting: true },
  )

const sourceOf = (name: string): string => `library/actions/${name}/action.ts`

const bundle = async (
  entryPoints: Array<{ in: string; out: string }>,
  options: Pick<BuildOptions, 'outExtension' | 'splitting'>,
): Promise<HostFiles> => {
  const outdir = join(root, 'bundled')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    ...options,
    // A host may read the folder of its action and `lib`.
    chunkNames: 'library/lib/[name]-[hash]',
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    banner: { js: REQUIRE },
    // For the lines in the stack of an error; the sources themselves are not repeated.
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  const files = new Map(outputFiles.map(({ path, text }) => [relative(outdir, path), text]))
  return { files, metafile }
}

/** The source of the table of actions that come with the program. */
export const ACTION_TABLE = 'packages/runner/src/catalog/bundled-actions.ts'

/** What hosts and threads load changes what a command does, as if the program imported it. */
export const addInputs = (
  program: Metafile,
  names: readonly string[],
  parts: readonly HostFiles[],
): Metafile => {
  const inputs: Metafile['inputs'] = Object.assign(
    {},
    ...parts.map(({ metafile }) => metafile.inputs),
    program.inputs,
  )
  const load = (from: string, paths: readonly string[]): void => {
    const loading = program.inputs[from]
    if (loading === undefined) return
    const loaded = paths.map((path) => ({ path, kind: 'dynamic-import' as const }))
    inputs[from] = { ...loading, imports: [...loading.imports, ...loaded] }
  }
  load(ACTION_TABLE, names.map(sourceOf))
  for (const { namedIn, source } of MODULES_BESIDE) load(namedIn, [source])
  return { ...program, inputs }
}
