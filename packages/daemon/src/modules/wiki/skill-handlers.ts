import { readFile, realpath } from 'node:fs/promises'
import { ASSISTANTS, describeHookPages, GUARD_PATHS, HOOK_FILE } from '@steward/assistants'
import { API, StewardError, type WikiPage } from '@steward/contract'
import { type Wiki, wordsIn } from '@steward/knowledge'
import { writeFileAtomically } from '@steward/platform'
import { type Handler, handle } from '../../module.ts'

export interface SkillHandlerPorts {
  /** Throws until the module has started. */
  wiki: () => Wiki
  now: () => number
}

/** Skills and hooks in the shapes that dashboards of LifeOS read. */
export const createSkillHandlers = ({ wiki, now }: SkillHandlerPorts): Handler[] => {
  const pages = () => {
    const { documents, describe } = wiki()
    return [...documents.catalog.all()]
      .flatMap(({ id }) => describe(id) ?? [])
      .filter(({ group }) => group === 'skills')
  }
  const find = (name: string) => {
    const all = pages()
    const page = all.filter(isSkill).find((each) => nameOf(each) === name)
    if (page === undefined) throw new StewardError('not_found', { what: 'skill', name })
    return { page, all }
  }
  /** The whole file: an editor that saves it must not lose the frontmatter. */
  const readSkill = async ({ id }: WikiPage): Promise<string> => {
    const path = wiki().documents.catalog.pathOf(id)
    return path === undefined ? (await wiki().show(id)).markdown : readFile(path, 'utf8')
  }
  return [
    handle(API.listWikiSkills, async () => {
      const all = pages()
      const skills = await Promise.all(
        all.filter(isSkill).map(async (page) => describeSkill(page, all, await readSkill(page))),
      )
      return { skills, total: skills.length }
    }),
    handle(API.getWikiSkill, async ({ params: { name } }) => {
      const { page, all } = find(name)
      const content = await readSkill(page)
      const skill = describeSkill(page, all, content)
      return { ...skill, content, filePath: page.id, wordCount: wordsIn(content) }
    }),
    handle(API.saveWikiSkill, async ({ params: { name }, body: { content } }) => {
      const { page, all } = find(name)
      await replaceSkill(page.id, wiki().documents.catalog.pathOf(page.id), content)
      const updated = new Date(now()).toISOString()
      return {
        ok: true as const,
        updated,
        ...describeSkill(page, all, content),
        content,
        filePath: page.id,
        wordCount: wordsIn(content),
        lastModified: updated,
      }
    }),
    handle(API.listWikiHooks, () => ({
      hooks: HOOKS,
      total: HOOKS.length,
      events: [...new Set(HOOKS.map(({ event }) => event))],
    })),
    handle(API.getWikiHook, ({ params: { name } }) => {
      const page = describeHookPages().find(({ path }) => path === 'claude')
      const isKnown = HOOKS.some(({ fileName }) => fileName === name)
      if (!isKnown || page === undefined) {
        throw new StewardError('not_found', { what: 'hook', name })
      }
      return {
        name,
        content: page.markdown,
        filePath: name,
        lastModified: new Date(now()).toISOString(),
        size: page.markdown.length,
      }
    }),
  ]
}

/** Skills of the user only: an update of Steward would replace changes to its own. */
const replaceSkill = async (
  id: string,
  path: string | undefined,
  content: string,
): Promise<void> => {
  if (path === undefined || id.startsWith('skills/steward/')) {
    const reason = 'it ships with Steward; copy it to a skill of your own and change that'
    throw new StewardError('invalid_input', { subject: id, reason, field: 'name' })
  }
  // A skill may be a link into another folder, which stays a link.
  const file = await realpath(path)
  await writeFileAtomically(`${file}.previous`, await readFile(file))
  await writeFileAtomically(file, content)
}

const HOOKS = ASSISTANTS.claude.hooks.map(({ event, matcher, asks }) => {
  const command = asks === undefined ? HOOK_FILE : GUARD_PATHS[asks]
  return {
    event,
    matcher: matcher ?? '*',
    type: asks === undefined ? ('command' as const) : ('http' as const),
    command,
    fileName: command.split('/').at(-1) ?? command,
  }
})

/** A skill is one page; pages below it, such as its workflows, are not skills. */
const isSkill = ({ id }: WikiPage): boolean => !/\/Workflows\//i.test(id)
const nameOf = ({ id }: WikiPage): string => id.split('/').at(-1) ?? id

/** LifeOS rates its skills in their frontmatter, and those without a rating as `standard`. */
const effortOf = (markdown: string): string =>
  /^---\n(?:.*\n)*?effort: *["']?([\w-]+)/.exec(markdown)?.[1] ?? 'standard'

const describeSkill = (page: WikiPage, all: readonly WikiPage[], content: string) => ({
  name: nameOf(page),
  dir: nameOf(page),
  description: page.summary,
  effort: effortOf(content),
  hasWorkflows: all.some(({ id }) => id.startsWith(`${page.id}/`)),
  lastModified: page.updated,
})
