import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Metafile } from 'esbuild'
import { buildDashboard } from '../build-dashboard.ts'
import { addInputs, bundleActions, type HostFiles } from '../program/bundle-actions.ts'
import { bundleProgram } from '../program/bundle-program.ts'
import { hashActions } from '../program/hash-actions.ts'
import { writeProgram } from '../program/write-program.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { bundledPackages } from './bundled-packages.ts'
import { stageEdgeParts } from './edge/stage-edge-parts.ts'
import { licensesOf } from './licenses.ts'
import { packageJsonOf } from './package-json.ts'

const root = join(import.meta.dirname, '../..')

/** The library's actions as hosts load them. */
const writeActions = async (
  stage: string,
  actions: readonly string[],
  { files }: HostFiles,
): Promise<void> => {
  for (const [path, text] of files) {
    await mkdir(dirname(join(stage, path)), { recursive: true })
    await writeFile(join(stage, path), text)
  }
  for (const name of actions) {
    const manifest = `library/actions/${name}/action.json`
    await cp(join(root, manifest), join(stage, manifest))
  }
}

const bundle = async (stage: string, actions: readonly string[]): Promise<Metafile> => {
  const bundled = await bundleActions(actions)
  await writeActions(stage, actions, bundled)
  const actionHashes = hashActions(join(stage, 'library/actions'))
  const program = await bundleProgram({ actionHashes, withActions: false })
  await writeProgram(join(stage, 'dist'), program)
  return addInputs(program.metafile, actions, [bundled])
}

const listActions = async (): Promise<string[]> => {
  const entries = await readdir(join(root, 'library', 'actions'), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

/** Files that are copied unchanged: definitions, the sample feed, schemas, types and documents. */
const copyFiles = async (stage: string): Promise<void> => {
  const copy = (from: string, to = from) =>
    cp(join(root, from), join(stage, to), {
      recursive: true,
      filter: (path) => !/\.test\.ts$/.test(path),
    })
  await copy('library/pipelines')
  await copy('library/flows')
  await copy('library/templates')
  await copy('schemas')
  await copy('docs')
  await copy('plugin/skills')
  await copy('plugin/agents')
  await copy('packages/cli/types', 'types')
  await copy('packages/cli/bin', 'bin')
  await copy('packages/assistants/dist', 'hook')
  await copy('packages/dashboard/dist', 'dashboard')
  await copy('LICENSE')
  await copy('README.md')
}

const writeAbout = async (stage: string, metafile: Metafile): Promise<void> => {
  const workspace: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const about = packageJsonOf(workspace)
  await writeFile(join(stage, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
  const packages = await bundledPackages(metafile, root)
  await writeFile(join(stage, 'THIRD_PARTY_LICENSES.txt'), await licensesOf(packages))
  const bill = await billOfMaterials(root, about, packages)
  await writeFile(join(stage, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
}

/** Stages all files of the installable package in `stage`. */
export const stagePackage = async (stage: string): Promise<void> => {
  const actions = await listActions()
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  const [metafile] = await Promise.all([
    bundle(stage, actions),
    promisify(execFile)(process.execPath, ['scripts/build-hook.ts'], { cwd: root }),
    buildDashboard(),
    stageEdgeParts(join(stage, 'edge'), actions),
  ])
  await copyFiles(stage)
  await writeAbout(stage, metafile)
}
