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
    return { page, skill: describeSkill(page, all) }
  }
  return [
    handle(API.listWikiSkills, () => {
      const all = pages()
      const skills = all.filter(isSkill).map((page) => describeSkill(page, all))
      return { skills, total: skills.length }
    }),
    handle(API.getWikiSkill, async ({ params: { name } }) => {
      const { page, skill } = find(name)
      const { markdown } = await wiki().show(page.id)
      return { ...skill, content: markdown, filePath: page.id, wordCount: wordsIn(markdown) }
    }),
    handle(API.saveWikiSkill, async ({ params: { name }, body: { content } }) => {
      const { page, skill } = find(name)
      await replaceSkill(page.id, wiki().documents.catalog.pathOf(page.id), content)
      return {
        ok: true as const,
        ...skill,
        content,
        filePath: page.id,
        wordCount: wordsIn(content),
        lastModified: new Date(now()).toISOString(),
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

const describeSkill = (page: WikiPage, all: readonly WikiPage[]) => ({
  name: nameOf(page),
  description: page.summary,
  effort: 'medium' as const,
  hasWorkflows: all.some(({ id }) => id.startsWith(`${page.id}/`)),
  lastModified: page.updated,
})
