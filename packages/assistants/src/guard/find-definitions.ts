import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { HostName } from '@steward/contract'

export interface DefinitionPlace {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  cwd: string | undefined
}

/** Of all folders together; whoever has more is not helped by a list. */
const MOST_ENTRIES = 5000
/** `plugins/cache/<market>/<plugin>/<version>/skills/<name>`. */
const PLUGIN_DEPTH = 4

/** The skills in the folders of a host, those of plugins also as `plugin:skill`. */
export const findSkills = (host: HostName, place: DefinitionPlace): Set<string> => {
  const names = new Set<string>()
  for (const root of rootsOf(host, place)) {
    for (const folder of ['skills', 'skill', 'commands']) {
      for (const name of listNames(join(root, folder))) names.add(name)
    }
  }
  for (const plugin of pluginsOf(host, place)) {
    for (const name of [
      ...listNames(join(plugin.path, 'skills')),
      ...listNames(join(plugin.path, 'commands')),
    ]) {
      names.add(name)
      for (const owner of plugin.names) names.add(`${owner}:${name}`)
    }
  }
  return names
}

/** The agents that the person made for a host, or for a project. */
export const findAgents = (host: HostName, place: DefinitionPlace): Set<string> =>
  new Set(
    rootsOf(host, place).flatMap((root) =>
      ['agents', 'agent'].flatMap((folder) => listNames(join(root, folder))),
    ),
  )

const rootsOf = (host: HostName, { env, homedir, cwd }: DefinitionPlace): string[] => {
  const inProject = (...names: string[]) =>
    cwd === undefined ? [] : names.map((name) => join(cwd, name))
  switch (host) {
    case 'claude':
      return [env.CLAUDE_CONFIG_DIR || join(homedir, '.claude'), ...inProject('.claude')]
    case 'codex':
      return [
        env.CODEX_HOME || join(homedir, '.codex'),
        join(homedir, '.agents'),
        ...inProject('.codex', '.agents'),
      ]
    case 'gemini':
      return [join(env.GEMINI_CLI_HOME || homedir, '.gemini'), ...inProject('.gemini', '.agents')]
    case 'cursor':
      return [join(homedir, '.cursor'), ...inProject('.cursor', '.agents')]
    case 'opencode':
      return [
        env.OPENCODE_CONFIG_DIR ||
          join(env.XDG_CONFIG_HOME || join(homedir, '.config'), 'opencode'),
        ...inProject('.opencode', '.agents'),
      ]
  }
}

interface PluginFolder {
  path: string
  /** What its skills may be called by: a folder's name is a plugin's or a version's. */
  names: string[]
}

const pluginsOf = (host: HostName, { env, homedir }: DefinitionPlace): PluginFolder[] => {
  if (host !== 'claude') return []
  const root = join(env.CLAUDE_CONFIG_DIR || join(homedir, '.claude'), 'plugins')
  const found: PluginFolder[] = []
  let left = MOST_ENTRIES
  const look = (path: string, names: string[]): void => {
    const children = childrenOf(path).filter(({ isFolder }) => isFolder)
    left -= children.length
    if (children.some(({ name }) => name === 'skills' || name === 'commands')) {
      found.push({ path, names })
    } else if (names.length < PLUGIN_DEPTH && left > 0) {
      for (const { name } of children) look(join(path, name), [...names, name])
    }
  }
  look(root, [])
  return found
}

/** Folders, and Markdown files without their ending. */
const listNames = (folder: string): string[] =>
  childrenOf(folder)
    .slice(0, MOST_ENTRIES)
    .flatMap(({ name, isFolder }) => {
      if (isFolder) return [name]
      return name.endsWith('.md') ? [basename(name, '.md')] : []
    })

const childrenOf = (folder: string): Array<{ name: string; isFolder: boolean }> => {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      // A linked skill is one too.
      isFolder: entry.isDirectory() || entry.isSymbolicLink(),
    }))
  } catch (thrown) {
    // Most of these folders are not there; one that may not be read has no names for us either.
    if (thrown instanceof Error && 'code' in thrown) return []
    throw thrown
  }
}
