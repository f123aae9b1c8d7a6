import { dirname, join, resolve } from 'node:path'
import { type BuildFailure, type BuildOptions, build, type Message } from 'esbuild'
import { type BundleInput, labelInputs } from './label-inputs.ts'
import { actionImports } from './plugins/action-imports.ts'
import { nodeBuiltins } from './plugins/node-builtins.ts'
import { sealedIsolate } from './plugins/sealed-isolate.ts'
import { zodEnglish } from './plugins/zod-english.ts'
import type { RuntimeModules } from './runtime-modules.ts'

type BundleTarget = 'worker' | 'container'

export interface BundleRequest {
  target: BundleTarget
  /** The entry's text, and its name in the worker's directory. */
  text: string
  sourcefile: string
  /** The folder of the action, for `steward:NAME/file`; none for pipelines and flows. */
  folder: string | undefined
  modules: RuntimeModules
  /** Whether the action opens connections itself. */
  sockets: boolean
}

export type Bundled =
  | { ok: true; code: string; inputs: BundleInput[] }
  | { ok: false; reasons: string[] }

/** The names that a module exports, also through other modules of its own. Nothing is run. */
export const exportsOf = async (file: string): Promise<string[]> => {
  const { metafile } = await build({
    entryPoints: [file],
    absWorkingDir: dirname(file),
    bundle: true,
    packages: 'external',
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    outdir: dirname(file),
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return Object.values(metafile.outputs).flatMap((output) => output.exports)
}

/**
 * Bundles an entry and its imports into one module: the same bytes for the same inputs, wherever
 * they are.
 */
export const bundle = async (request: BundleRequest): Promise<Bundled> => {
  const { folder, modules, sourcefile } = request
  const base = folder ?? resolve(modules.worker, '..')
  try {
    const { outputFiles, metafile } = await build({
      ...TARGETS[request.target],
      absWorkingDir: base,
      stdin: {
        contents: request.text,
        resolveDir: base,
        sourcefile: `generated:${sourcefile}`,
        loader: 'ts',
      },
      alias: {
        '@steward/worker': modules.worker,
        '@steward/edge/container': modules.container,
        '@steward/contract': modules.contract,
        '@steward/contract/yaml': join(dirname(modules.contract), 'yaml', 'index.ts'),
      },
      plugins: [
        actionImports(folder),
        zodEnglish(modules.contract),
        ...(request.target === 'worker'
          ? [sealedIsolate(request.folder === undefined || request.sockets), nodeBuiltins]
          : []),
      ],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      treeShaking: true,
      legalComments: 'inline',
      // A tsconfig.json above an action must not affect the build.
      tsconfigRaw: {},
      logLevel: 'silent',
    })
    const text = outputFiles[0]?.text ?? ''
    return {
      ok: true,
      ...labelInputs(text, Object.keys(metafile.inputs), { base, modules, folder }),
    }
  } catch (thrown) {
    if (!isBuildFailure(thrown)) throw thrown
    return { ok: false, reasons: thrown.errors.map(describe) }
  }
}

const TARGETS: Record<BundleTarget, BuildOptions> = {
  worker: {
    target: 'es2024',
    platform: 'browser',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    external: ['cloudflare:*'],
    // An isolate has no files; packages that look for their location get the same one everywhere.
    define: { 'import.meta.url': '"file:///index.js"', 'process.env.NODE_ENV': '"production"' },
  },
  container: {
    target: 'node24',
    platform: 'node',
    // CommonJS packages inside the bundle load Node's modules with `require`.
    banner: {
      js: `import { createRequire as createRequireForBundle } from 'node:module'\nconst require = createRequireForBundle(import.meta.url)`,
    },
  },
}

const isBuildFailure = (thrown: unknown): thrown is BuildFailure =>
  thrown instanceof Error && 'errors' in thrown && Array.isArray(thrown.errors)

const describe = ({ text, location }: Message): string =>
  location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`
