import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '../../..')

/** What a worker is bundled from, apart from the actions: see `RUNTIME_MODULES` and the phone's page. */
const ENTRIES = [
  'packages/worker/src/index.ts',
  'packages/worker/src/relay/page/phone.ts',
  'packages/edge/src/container/serve-action.ts',
  'packages/contract/src/index.ts',
  'packages/contract/src/yaml/index.ts',
]

/** Tools that no source imports: they build, run and deploy workers. */
const TOOLS = ['esbuild', 'miniflare', 'wrangler']

export interface WorkerSources {
  /** Source files, by path in the clone. */
  files: string[]
  /** Names of the packages that each workspace imports, by its folder. */
  packages: Map<string, Set<string>>
}

/** Everything of ours that workers are bundled from, and the packages that it imports. */
export const findWorkerSources = async (actions: readonly string[]): Promise<WorkerSources> => {
  const packages = new Map([['packages/edge', new Set(TOOLS)]])
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...ENTRIES, ...actions.map((name) => `library/actions/${name}/action.ts`)],
    outdir: 'unwritten',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    plugins: [notePackages(packages)],
  })
  const files = Object.keys(metafile.inputs).toSorted()
  for (const file of files) addTo(packages, workspaceOf(file))
  return { files, packages }
}

const notePackages = (packages: Map<string, Set<string>>): Plugin => ({
  name: 'note-packages',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined
      const name = /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path
      if (!name.includes(':'))
        addTo(packages, workspaceOf(importer.slice(root.length + 1))).add(name)
      return name.startsWith('@steward/') ? undefined : { path, external: true }
    })
  },
})

const workspaceOf = (file: string): string => /^(packages\/[^/]+|[^/]+)/.exec(file)?.[0] ?? file

const addTo = (packages: Map<string, Set<string>>, folder: string): Set<string> => {
  const names = packages.get(folder) ?? new Set()
  packages.set(folder, names)
  return names
}
