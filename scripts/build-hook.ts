/**
 * Builds the hook program into packages/assistants/dist, unless its sources are unchanged. With
 * `--plugin`, also writes the files of the Claude Code plugin.
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isCurrent, stampOf } from '../packages/cli/bin/clone-build.mjs'

const root = join(import.meta.dirname, '..')
const outdir = join(root, 'packages/assistants/dist')
const program = join(outdir, 'steward-hook.mjs')
/** The name of its list of source files, as those of commands. */
const WORD = 'hook'
/** Timestamps of files are coarser than the clock. */
const SETTLED_MS = 50

const build = async (): Promise<void> => {
  const { bundleHook } = await import('./program/bundle-hook.ts')
  const stamps = findSources(await bundleHook()).map((path) => stampOf(root, path))
  const newestMs = Math.max(...stamps.map(([, changedMs]) => changedMs))
  // A file that changed meanwhile may have been read before.
  if (newestMs >= performance.timeOrigin - SETTLED_MS) return
  const file = join(outdir, 'inputs', `${WORD}.json`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.${process.pid}`, JSON.stringify(stamps))
  await rename(`${file}.${process.pid}`, file)
}

/** All of the packages that it contains a part of, because the build itself runs code of theirs. */
const findSources = (inputs: readonly string[]): string[] => {
  const folders = new Set(inputs.flatMap((path) => /^packages\/[^/]+\/src/.exec(path)?.[0] ?? []))
  const sources = [...folders, 'scripts/program'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  )
  const shared = ['scripts/build-hook.ts', 'package.json', 'node_modules/.package-lock.json']
  return [...new Set([...inputs, ...sources, ...shared])].filter((path) =>
    existsSync(join(root, path)),
  )
}

const writePlugin = async (): Promise<void> => {
  const { renderPlugin } = await import('@steward/assistants')
  for (const [path, text] of Object.entries(renderPlugin())) {
    const file = join(root, 'plugin', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

if (!existsSync(program) || !isCurrent(outdir, root, WORD)) await build()
if (process.argv.includes('--plugin')) await writePlugin()
console.log(program)
