/** Bundles the command line into chunks. The packed program and a clone run the same ones. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, transform } from 'esbuild'
import { addInputs, bundleActions, bundleBeside } from './bundle-actions.ts'
import { createDirectImports } from './direct-imports.ts'
import {
  bundleDefinitions,
  deferZod,
  leaveOutside,
  loadBuiltinsLate,
  nameHostFiles,
  readConstants,
  readSources,
  zodInEnglish,
} from './plugins.ts'

const root = join(import.meta.dirname, '../..')

export interface Program {
  /**
   * Text by file name: chunks, each a function of the loader's arguments (`bin/run-bundled.mjs`).
   */
  files: Map<string, string>
  /** Plain modules for action hosts and reader threads: text by path. */
  hostFiles: Map<string, string>
  /** The entry chunk. */
  main: string
  /** A hash of all files; names the compile cache. */
  id: string
  metafile: Metafile
  /** Source files that determine which others are imported. */
  indexes: string[]
}

const MAIN = 'packages/cli/src/main.ts'
const OUTDIR = 'program'
const TARGET = 'node22'

const COMMON = {
  absWorkingDir: root,
  outdir: OUTDIR,
  bundle: true,
  write: false,
  platform: 'node',
  target: TARGET,
  // Names are kept for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions

export interface ProgramOptions {
  /** Of the files each action of the library is made from. */
  actionHashes: Readonly<Record<string, string>>
  /** Puts the modules of these actions beside the program, for hosts to load. */
  withActions: boolean
}

export const bundleProgram = async ({
  actionHashes,
  withActions,
}: ProgramOptions): Promise<Program> => {
  const actionNames = withActions ? Object.keys(actionHashes) : []
  const [zod, beside, actions] = await Promise.all([
    bundleZod(),
    bundleBeside(),
    bundleActions(actionNames),
  ])
  const imports = createDirectImports()
  const program = await build({
    ...COMMON,
    entryPoints: [{ in: MAIN, out: 'main' }],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    define: { 'import.meta.url': 'importMetaUrl', ZOD_CHUNK: JSON.stringify(zod.name) },
    plugins: [
      nameHostFiles(actionHashes, withActions),
      bundleDefinitions(Object.keys(actionHashes)),
      readConstants,
      deferZod,
      leaveOutside,
      loadBuiltinsLate,
      readSources(imports),
    ],
    metafile: true,
  })
  const names = new Set(program.outputFiles.map(nameOf))
  const chunks = await Promise.all(
    program.outputFiles.map(
      async (file): Promise<[string, string]> => [
        nameOf(file),
        wrap(await toCommonJs(file, names)),
      ],
    ),
  )
  const [main = ''] = [...names].filter((name) => name.startsWith('main-'))
  const files = new Map([...chunks, [zod.name, wrap(zod.code)]])
  const id = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 32)
  const metafile = addInputs(program.metafile, actionNames, [beside, actions])
  const hostFiles = new Map([beside, actions].flatMap(({ files }) => [...files]))
  return { files, hostFiles, main, id, metafile, indexes: imports.indexes() }
}

const bundleZod = async () => {
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: [{ in: 'zod', out: 'zod' }],
    entryNames: '[name]-[hash]',
    format: 'cjs',
    plugins: [zodInEnglish],
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('zod was not bundled')
  return { name: nameOf(file), code: file.text }
}

const nameOf = ({ path }: OutputFile): string => path.slice(path.lastIndexOf('/') + 1)

const wrap = (code: string): string =>
  `(function (exports, module, require, importMetaOf, importMetaUrl, loadChunk, loadLater, programFolder) {${code}\n})\n`

/** A chunk that gets other chunks from the loader. */
const toCommonJs = async (file: OutputFile, names: ReadonlySet<string>): Promise<string> => {
  const ask = (pattern: RegExp, loader: string, text: string) =>
    text.replace(pattern, (found, name) =>
      names.has(name) ? `${loader}(${JSON.stringify(name)})` : found,
    )
  const late = ask(/\bimport\("\.\/([^"]+)"\)/g, 'loadLater', file.text)
  const { code } = await transform(late, {
    format: 'cjs',
    platform: 'node',
    target: TARGET,
    minifySyntax: true,
    minifyWhitespace: true,
  })
  return ask(/\brequire\("\.\/([^"]+)"\)/g, 'loadChunk', code)
}
