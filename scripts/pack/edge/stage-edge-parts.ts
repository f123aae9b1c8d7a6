import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { findWorkerSources } from './find-sources.ts'
import { pruneLockfile, type Workspace } from './prune-lockfile.ts'

const root = join(import.meta.dirname, '../../..')

/** Folders whose files workers contain, or are planned from, without importing them. */
const FOLDERS = [
  'library/actions',
  'library/flows',
  'library/pipelines',
  'packages/dashboard/public',
  'packages/worker/src/relay/page',
]

const manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.unknown().optional(),
})

/**
 * Stages what `steward edge install` needs: a small workspace of the sources that workers are bundled
 * from, and a lockfile of the packages that it fetches. `parts.json` names the result.
 */
export const stageEdgeParts = async (folder: string, actions: readonly string[]): Promise<void> => {
  const { files, packages } = await findWorkerSources(actions)
  for (const path of FOLDERS) {
    await cp(join(root, path), join(folder, path), { recursive: true, filter: isShipped })
  }
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(join(root, file), join(folder, file))
  }
  const workspaces = new Map<string, Workspace>()
  for (const [path, imported] of [...packages].toSorted()) {
    workspaces.set(path, await writeManifest(folder, path, imported))
  }
  const { version } = manifest.parse(await readJson(join(root, 'package.json')))
  const project = { name: 'steward-edge', version, workspaces: [...workspaces.keys()] }
  const lockfile = pruneLockfile(
    await readJson(join(root, 'package-lock.json')),
    project,
    workspaces,
  )
  await writeJson(join(folder, 'package.json'), { ...project, private: true })
  await writeJson(join(folder, 'package-lock.json'), lockfile)
  await writeJson(join(folder, 'parts.json'), { id: `${version}-${await hashFolder(folder)}` })
}

const isShipped = (path: string): boolean =>
  !/\.test\.ts$/.test(path) && !/\/(testing|node_modules)$/.test(path)

/** The manifest of a workspace with only the packages that its shipped sources import. */
const writeManifest = async (
  folder: string,
  path: string,
  imported: ReadonlySet<string>,
): Promise<Workspace> => {
  const { devDependencies: _, ...whole } = manifest.parse(
    await readJson(join(root, path, 'package.json')),
  )
  const dependencies = Object.fromEntries(
    Object.entries(whole.dependencies).filter(([name]) => imported.has(name)),
  )
  await writeJson(join(folder, path, 'package.json'), { ...whole, dependencies })
  return { name: whole.name, version: whole.version, dependencies }
}

const hashFolder = async (folder: string): Promise<string> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
  const hash = createHash('sha256')
  for (const path of paths) {
    hash.update(`${path.slice(folder.length)}\n`).update(await readFile(path))
  }
  return hash.digest('hex').slice(0, 12)
}

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'))

const writeJson = (file: string, value: unknown): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`)
