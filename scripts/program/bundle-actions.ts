import { join, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/** CommonJS packages inside the bundle ask for Node's own modules with `require`. */
const REQUIRE = `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);`

export interface HostFiles {
  /** Text by path in the folder of the program or package. */
  files: Map<string, string>
  metafile: Metafile
}

const HOST_SOURCE = 'packages/runner/src/action-host/host/main.ts'
export const HOST_FILE = 'action-host.mjs'

/** The program that runs inside an action host. */
export const bundleHost = (): Promise<HostFiles> =>
  bundle([{ in: HOST_SOURCE, out: 'action-host' }], { '.js': '.mjs' })

/** The actions of the library with everything they import, as a host loads them. */
export const bundleActions = (names: readonly string[]): Promise<HostFiles> =>
  bundle(
    names.map((name) => ({ in: sourceOf(name), out: `library/actions/${name}/action` })),
    {},
  )

const sourceOf = (name: string): string => `library/actions/${name}/action.ts`

const bundle = async (
  entryPoints: Array<{ in: string; out: string }>,
  outExtension: Record<string, string>,
): Promise<HostFiles> => {
  const outdir = join(root, 'bundled')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    outExtension,
    // A host may read the folder of its action and `lib`.
    chunkNames: 'library/lib/[name]-[hash]',
    bundle: true,
    splitting: true,
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

const TABLE = 'packages/runner/src/catalog/bundled-actions.ts'

/** What hosts load changes what a command does, as if the program imported it. */
export const addInputs = (
  program: Metafile,
  names: readonly string[],
  parts: readonly HostFiles[],
): Metafile => {
  const inputs = Object.assign({}, ...parts.map(({ metafile }) => metafile.inputs), program.inputs)
  const table = program.inputs[TABLE]
  if (table === undefined) return { ...program, inputs }
  const loaded = [HOST_SOURCE, ...names.map(sourceOf)].map((path) => ({
    path,
    kind: 'dynamic-import' as const,
  }))
  inputs[TABLE] = { ...table, imports: [...table.imports, ...loaded] }
  return { ...program, inputs }
}
