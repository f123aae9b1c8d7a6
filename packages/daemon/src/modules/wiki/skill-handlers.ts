import { ASSISTANTS, describeHookPages, GUARD_PATHS, HOOK_FILE } from '@steward/assistants'
import { API, StewardError, type WikiPage } from '@steward/contract'
import { type Wiki, wordsIn } from '@steward/knowledge'
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
  return [
    handle(API.listWikiSkills, () => {
      const all = pages()
      const skills = all.filter(isSkill).map((page) => describeSkill(page, all))
      return { skills, total: skills.length }
    }),
    handle(API.getWikiSkill, async ({ params: { name } }) => {
      const all = pages()
      const page = all.filter(isSkill).find((each) => nameOf(each) === name)
      if (page === undefined) throw new StewardError('not_found', { what: 'skill', name })
      const { markdown } = await wiki().show(page.id)
      return {
        ...describeSkill(page, all),
        content: markdown,
        filePath: page.id,
        wordCount: wordsIn(markdown),
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
