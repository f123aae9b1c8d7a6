/** Bundles the command line into one file. The packed program and a clone run the same. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, transform } from 'esbuild'
import { bundleActions, deferZod, keepPlaces, leaveOutside, zodInEnglish } from './plugins.ts'

const root = join(import.meta.dirname, '../..')

export interface Program {
  /** A function that takes the loader's ports and answers with the chunks by name (`bin/run-bundled.mjs`). */
  text: string
  metafile: Metafile
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
  // Names stay as they are, for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions

/** `actionHashes`: which actions of the library to include, and the hash of the files each is made from. */
export const bundleProgram = async (
  actionHashes: Readonly<Record<string, string>>,
): Promise<Program> => {
  const [program, zod] = await Promise.all([
    build({
      ...COMMON,
      entryPoints: [{ in: MAIN, out: 'main' }],
      chunkNames: '[name]-[hash]',
      splitting: true,
      format: 'esm',
      define: { 'import.meta.url': 'importMetaUrl' },
      plugins: [deferZod, keepPlaces, leaveOutside, bundleActions(actionHashes)],
      metafile: true,
    }),
    build({
      ...COMMON,
      entryPoints: [{ in: 'zod', out: 'zod' }],
      format: 'cjs',
      plugins: [zodInEnglish],
    }),
  ])
  const names = new Set(program.outputFiles.map(nameOf))
  const chunks = await Promise.all(
    program.outputFiles.map(async (file) => renderChunk(nameOf(file), await toFunction(file, names))),
  )
  const body = [...chunks, ...zod.outputFiles.map((file) => renderChunk(nameOf(file), file.text))]
  const id = createHash('sha256').update(body.join()).digest('hex')
  const text = `//${id}\n(function(require, importMetaOf, importMetaUrl) { return {\n${body.join(',\n')}\n} })\n`
  return { text, metafile: program.metafile }
}

const nameOf = ({ path }: OutputFile): string => path.slice(path.lastIndexOf('/') + 1)

const renderChunk = (name: string, code: string): string =>
  `${JSON.stringify(name)}(exports, module, loadChunk, loadLater) {${code}\n}`

/** A chunk as the body of a function, in which other chunks are asked of the loader. */
const toFunction = async (file: OutputFile, names: ReadonlySet<string>): Promise<string> => {
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
