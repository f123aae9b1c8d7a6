import type { Entry, Move } from '../usage/protocol.ts'
import type { Question } from '../usage/vendor.ts'

/** One answer of the model to a task; `folder` is where the session works. */
type Step = (folder: string, tools: readonly string[]) => Move

interface Script {
  steps: readonly Step[]
  /** Before the call of this step the model falls silent, once. */
  hangsAt?: number
}

/** The scripted model of the driven sessions. */
export interface Model {
  decide: (question: Question) => Move
  /** A task is a word that is in a prompt. */
  set: (task: string, script: Script) => void
  /** Steps of a task that the model answered, and was paid for, in order. */
  paid: (task: string) => number[]
  hasHung: (task: string) => boolean
  /** The prompts of the conversation that a task belongs to, as the model last saw them. */
  promptsOf: (task: string) => string[]
}

const DONE: Move = { type: 'text', text: 'All done here.' }

/** `root` is the data home, which the sessions work in. */
export const createModel = (root: string): Model => {
  const scripts = new Map<string, Script>()
  const paid = new Map<string, number[]>()
  const hung = new Set<string>()
  const prompts = new Map<string, string[]>()
  const home = root.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const folderPattern = new RegExp(`${home}/(?:worktrees/[\\w-]+|copies/[\\w-]+/[\\w-]+)`)

  const decide: Model['decide'] = ({ entries, tools, body }) => {
    const found = [...scripts.keys()]
      .map((task) => ({ task, at: entries.findIndex((entry) => isAbout(entry, task)) }))
      .filter(({ at }) => at >= 0)
      .toSorted((one, other) => one.at - other.at)
      .at(-1)
    // Assistants also ask for titles and summaries, without tools.
    if (found === undefined || tools.length === 0) return DONE
    const { task, at } = found
    const { steps, hangsAt } = scripts.get(task) ?? { steps: [] }
    prompts.set(
      task,
      entries.flatMap((entry) => ('prompt' in entry ? [entry.prompt] : [])),
    )
    if (isOwnQuestion(entries.at(-1), [...scripts.keys()])) return DONE
    const step = entries.slice(at + 1).filter(isCarriedOut).length
    if (step === hangsAt && !hung.has(task)) {
      hung.add(task)
      return { type: 'hang' }
    }
    paid.set(task, [...(paid.get(task) ?? []), step])
    return steps[step]?.(folderPattern.exec(body)?.[0] ?? '', tools) ?? DONE
  }
  return {
    decide,
    set: (task, script) => void scripts.set(task, script),
    paid: (task) => paid.get(task) ?? [],
    hasHung: (task) => hung.has(task),
    promptsOf: (task) => prompts.get(task) ?? [],
  }
}

const isAbout = (entry: Entry, task: string): boolean =>
  'prompt' in entry && entry.prompt.includes(task)

/**
 * Claude Code records a refusal or a failed request when its client dies at a permission, and an
 * interruption when it dies itself; Codex records "aborted by user", OpenCode an aborted or
 * interrupted execution. Steward asks for the call again.
 */
const NOT_CARRIED_OUT =
  /doesn't want to proceed with this tool use|Tool permission request failed|Tool call interrupted|aborted by user|Tool execution (?:was interrupted|aborted)/

const isCarriedOut = (entry: Entry): boolean =>
  'result' in entry && !NOT_CARRIED_OUT.test(entry.result)

/** Assistants ask for suggestions and summaries at the end of the conversation. */
const isOwnQuestion = (last: Entry | undefined, tasks: readonly string[]): boolean =>
  last !== undefined &&
  'prompt' in last &&
  !IS_RESUMING.test(last.prompt) &&
  !tasks.some((task) => last.prompt.includes(task))

/** Prompts of Steward itself after an interruption. */
export const IS_RESUMING = /Your program was interrupted/
