import { join, resolve } from 'node:path'
import { type Settings, splitFrontMatter } from '@steward/contract'
import { expandTilde, type Home } from '@steward/platform'
import { readFields } from '../notes/frontmatter/read-fields.ts'
import type { FieldValue } from '../notes/frontmatter/read-simple.ts'
import { findInlineTags } from '../notes/inline-tags.ts'
import { readAction, readFlows, readPipeline } from './read-manifest.ts'
import type { Draft, ReadDrafts, WikiSource } from './wiki-source.ts'

export interface SourcePlaces {
  /** Steward's own files: a clone, or the installed package. */
  installation: string
  home: Pick<Home, 'root' | 'user'>
  homedir: string
  env: Readonly<Record<string, string | undefined>>
  settings: Pick<Settings, 'wiki'>
}

const DEEP = 12

/** Display names of groups. The person's own directories keep their names. */
export const GROUP_LABELS: Readonly<Record<string, string>> = {
  docs: 'Steward',
  skills: 'Skills',
  agents: 'Agents',
  commands: 'Commands',
  hooks: 'Hooks',
  actions: 'Actions',
  pipelines: 'Pipelines',
  flows: 'Flows',
}

/** All folders of the wiki. Missing folders have no documents until they exist. */
export const listSources = (places: SourcePlaces): WikiSource[] => {
  const { installation, home, homedir, settings } = places
  const own = home.user
  return [
    folder('docs', join(installation, 'docs')),
    { ...folder('docs', installation), key: 'docs/steward', depth: 0, readerOf: onlyReadme },
    ...Object.entries(settings.wiki.directories).map(([name, path]) =>
      folder(name, expand(path, places)),
    ),
    skills('steward', join(installation, 'plugin/skills')),
    agents('steward', join(installation, 'plugin/agents')),
    agents('own', own.agents),
    ...hostFolders(places).map(([group, host, path]) =>
      group === 'skills' ? skills(host, path) : flat(group, host, path),
    ),
    ...[
      { key: '', actions: join(installation, 'library/actions') },
      { key: '/own', actions: own.actions },
    ].map(({ key, actions }) =>
      manifests('actions', key, actions, 1, /^[^/]+\/action\.json$/, readAction),
    ),
    ...[
      { key: '', root: join(installation, 'library/pipelines') },
      { key: '/own', root: own.pipelines },
    ].map(({ key, root }) => pipelines(key, root)),
    ...[
      { key: '', root: join(installation, 'library/flows') },
      { key: '/own', root: own.flows },
    ].map(({ key, root }) => manifests('flows', key, root, 0, /^flow-index\.json$/, readFlows)),
  ].map((source) => ({ ...source, root: resolve(homedir, source.root) }))
}

/** The folders in which assistants keep skills and other files. */
const hostFolders = ({
  homedir,
  env,
}: SourcePlaces): [group: string, host: string, path: string][] => {
  const claude = env.CLAUDE_CONFIG_DIR || join(homedir, '.claude')
  const codex = env.CODEX_HOME || join(homedir, '.codex')
  const opencode = join(env.XDG_CONFIG_HOME || join(homedir, '.config'), 'opencode')
  return [
    ['skills', 'claude', join(claude, 'skills')],
    ['agents', 'claude', join(claude, 'agents')],
    ['commands', 'claude', join(claude, 'commands')],
    ['skills', 'codex', join(codex, 'skills')],
    ['commands', 'codex', join(codex, 'prompts')],
    ['skills', 'opencode', join(opencode, 'skills')],
    ['agents', 'opencode', join(opencode, 'agents')],
    ['commands', 'opencode', join(opencode, 'commands')],
    ['skills', 'gemini', join(homedir, '.gemini/skills')],
    ['skills', 'cursor', join(homedir, '.cursor/skills')],
    ['agents', 'cursor', join(homedir, '.cursor/agents')],
  ]
}

const folder = (key: string, root: string): WikiSource => ({
  key,
  group: key,
  root,
  depth: DEEP,
  readerOf: (relative) => (isMarkdown(relative) ? readMarkdown : undefined),
})

const onlyReadme = (relative: string): ReadDrafts | undefined =>
  relative === 'README.md' ? readMarkdown : undefined

const skills = (host: string, root: string): WikiSource => ({
  ...folder(`skills/${host}`, root),
  group: 'skills',
  depth: 4,
  readerOf: (relative) => (isMarkdown(relative) ? readSkill : undefined),
})

const flat = (group: string, host: string, root: string): WikiSource => ({
  ...folder(`${group}/${host}`, root),
  group,
  depth: 2,
})

const agents = (host: string, root: string): WikiSource => flat('agents', host, root)

const manifests = (
  group: string,
  key: string,
  root: string,
  depth: number,
  files: RegExp,
  read: ReadDrafts,
): WikiSource => ({
  key: `${group}${key}`,
  group,
  root,
  depth,
  readerOf: (relative) => (files.test(relative) ? read : undefined),
})

const pipelines = (key: string, root: string): WikiSource => ({
  key: `pipelines${key}`,
  group: 'pipelines',
  root,
  depth: 1,
  readerOf: (relative) => {
    if (/^[^/]+\.ya?ml$/.test(relative)) return readPipeline
    return /^[^/]+\/PIPELINE\.md$/.test(relative) ? readPipelineText : undefined
  },
})

const readPipelineText: ReadDrafts = (text, relative) =>
  readMarkdown(text, relative.replace(/\/PIPELINE\.md$/, '.md'))

const expand = (path: string, { homedir, home }: SourcePlaces): string =>
  resolve(home.root, expandTilde(path, homedir))

const MARKDOWN = /\.(?:md|markdown)$/i
const MOST_ITEMS = 100

const isMarkdown = (relative: string): boolean => MARKDOWN.test(relative)

/**
 * A Markdown file is a document; its frontmatter may set its title (`title` or `name`) and
 * description.
 */
const readMarkdown: ReadDrafts = (text, relative) => [
  { path: relative.replace(MARKDOWN, ''), ...readText(text) },
]

/** A skill's folder is named by its `SKILL.md`; other files in it belong to the skill. */
const readSkill: ReadDrafts = (text, relative) => [
  { path: relative.replace(/\/SKILL\.md$/i, '').replace(MARKDOWN, ''), ...readText(text) },
]

const readText = (text: string): Omit<Draft, 'path'> => {
  const { head, bodyStart } = splitFrontMatter(text)
  const fields = head === undefined ? new Map<string, FieldValue>() : readFields(head.text).fields
  const title = lineOf(fields.get('title')) ?? lineOf(fields.get('name'))
  const summary = lineOf(fields.get('description'))
  return {
    markdown: text.slice(bodyStart),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    tags: [
      ...new Set([
        ...listOf(fields.get('tags')).map((tag) => tag.replace(/^#+/, '')),
        ...findInlineTags(text.slice(bodyStart)),
      ]),
    ].slice(0, MOST_ITEMS),
    related: listOf(fields.get('related')).map((name) => name.replaceAll(/^\[\[|\]\]$/g, '')),
  }
}

const lineOf = (value: FieldValue | undefined): string | undefined =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() || undefined : undefined

const listOf = (value: FieldValue | undefined): string[] => {
  if (value === undefined || value === null) return []
  const items = typeof value === 'string' ? value.split(',') : value
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .slice(0, MOST_ITEMS)
}
