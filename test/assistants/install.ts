import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The versions that the table in docs/answers.md is about. */
export const PINNED = {
  'claude-2.1.197': ['@anthropic-ai/claude-code', '2.1.197', 'claude'],
  'claude-2.1.325': ['@anthropic-ai/claude-code', '2.1.325', 'claude'],
  'codex-0.166.0': ['@openai/codex', '0.166.0', 'codex'],
  'opencode-1.18.18': ['opencode-ai', '1.18.18', 'opencode'],
} as const
export type Pinned = keyof typeof PINNED

/** Installs an assistant from npm unless the cache has it; returns its program. */
export const installAssistant = (cache: string, name: Pinned): string =>
  installPackage(cache, PINNED[name])

export const installPackage = (
  cache: string,
  [npmName, version, command]: readonly [npmName: string, version: string, command: string],
): string => {
  const folder = join(cache, `${command}-${version}`)
  const program = join(folder, 'node_modules', '.bin', command)
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  console.log(`installing ${npmName} ${version} into ${folder}`)
  // Its install script puts the program of this platform in place.
  const installed = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', `${npmName}@${version}`],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  if (!existsSync(program)) throw new Error(`${npmName}@${version}: ${installed.stderr}`)
  return program
}
