import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { HostName } from '@steward/contract'
import { codeOf } from '@steward/platform'
import type { DefinitionPlace } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'

/** Over all folders; a longer list is not useful. */
const MOST_ENTRIES = 5000
/** `plugins/cache/<market>/<plugin>/<version>/skills/<name>`. */
const PLUGIN_DEPTH = 4

/** The skills in an assistant's folders; those of plugins also as `plugin:skill`. */
export const findSkills = (host: HostName, place: DefinitionPlace): Set<string> => {
  const names = new Set<string>()
  for (const root of ASSISTANTS[host].definitionFolders(place)) {
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

/** The agents that the person made for an assistant or a project. */
export const findAgents = (host: HostName, place: DefinitionPlace): Set<string> =>
  new Set(
    ASSISTANTS[host]
      .definitionFolders(place)
      .flatMap((root) => ['agents', 'agent'].flatMap((folder) => listNames(join(root, folder)))),
  )

interface PluginFolder {
  path: string
  /** Possible prefixes of its skills: a folder is named after a plugin or a version. */
  names: string[]
}

const pluginsOf = (host: HostName, place: DefinitionPlace): PluginFolder[] => {
  const root = ASSISTANTS[host].pluginFolder?.(place)
  if (root === undefined) return []
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

/** Folders, and Markdown files without their extension. */
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
    // Most of these folders do not exist, and an unreadable one has no names for us either.
    if (codeOf(thrown) !== undefined) return []
    throw thrown
  }
}
