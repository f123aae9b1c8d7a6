import {
  type AssistantTask,
  assistantTask,
  describeIssues,
  isJsonObject,
  issuesOf,
  LIMITS,
  StewardError,
  type TaskStatus,
} from '@steward/contract'
import { isZone, parseCron } from '@steward/engine'
import { type Document, isMap, isSeq } from 'yaml'
import type { AssistantFiles } from '../files/assistant-files.ts'
import { parseYaml, renderYaml, unreadable } from '../files/assistant-yaml.ts'

const TASKS_FILE = 'tasks.yaml'

const STARTING_TEXT = `# The scheduled tasks of your assistant. You can edit this file; it is reread within 30 seconds.
# A schedule is {cron: "0 9 * * 1-5"}, {at: "2026-12-24T18:00:00+01:00"} or {everySeconds: 7200, from: …};
# also {everyDays: 3, fromDay: "2026-11-16", time: "09:00"} and {monthly: last day, time: "09:00"}.
tasks: []
`

/** The valid tasks, and the problems of the others. */
export interface TaskList {
  tasks: AssistantTask[]
  problems: string[]
}

/** Throws `assistant_unreadable` if the file cannot be parsed at all. */
export const readTasks = async (files: AssistantFiles): Promise<TaskList> =>
  parseTasks(await files.read(TASKS_FILE))

const parseTasks = (text: string | undefined): TaskList => {
  if (text === undefined) return { tasks: [], problems: [] }
  const content: unknown = parseYaml(text, TASKS_FILE).toJS() ?? {}
  const entries = isJsonObject(content) ? (content.tasks ?? []) : content
  if (!Array.isArray(entries)) throw unreadable(TASKS_FILE, 'tasks must be a list')
  const tasks = new Map<string, AssistantTask>()
  const problems: string[] = []
  for (const [index, entry] of entries.entries()) {
    const parsed = assistantTask.safeParse(entry)
    const problem = parsed.success
      ? findProblem(parsed.data, tasks)
      : describeIssues(issuesOf(parsed.error))
    if (problem !== undefined) problems.push(`${TASKS_FILE}: entry ${index + 1}: ${problem}`)
    else if (parsed.success) tasks.set(parsed.data.id, parsed.data)
  }
  return { tasks: [...tasks.values()], problems }
}

const findProblem = (
  { id, schedule }: AssistantTask,
  known: ReadonlyMap<string, unknown>,
): string | undefined => {
  if (known.has(id)) return `the id ${id} is used twice`
  const { timezone } = schedule
  if (timezone !== undefined && !isZone(timezone)) return `${timezone} is not a time zone`
  if (!('cron' in schedule)) return undefined
  const parsed = parseCron(schedule.cron)
  return parsed.ok ? undefined : parsed.error.message
}

/** Appends a task to the file and keeps comments. */
export const addTask = (files: AssistantFiles, task: AssistantTask): Promise<void> =>
  files.change(TASKS_FILE, (text) => {
    const { tasks } = parseTasks(text)
    if (tasks.filter(isOpen).length >= LIMITS.tasks) {
      const reason = `there are ${LIMITS.tasks} tasks already; cancel some`
      throw new StewardError('invalid_input', { subject: TASKS_FILE, reason })
    }
    const document = parseYaml(text ?? STARTING_TEXT, TASKS_FILE)
    const list = listOf(document)
    list.flow = false
    list.add(document.createNode(withoutDefaults(task)))
    return renderYaml(document)
  })

export const isOpen = ({ status }: AssistantTask): boolean =>
  status === 'active' || status === 'pending_approval'

/** Omits default values, as a person would. */
const withoutDefaults = ({ catchUp, onInterrupted, tags, ...task }: AssistantTask) => ({
  ...task,
  ...(catchUp === 'once' ? {} : { catchUp }),
  ...(onInterrupted === 'retry' ? {} : { onInterrupted }),
  ...(tags.length === 0 ? {} : { tags }),
})

/** Returns whether the task exists. */
export const setTaskStatus = async (
  files: AssistantFiles,
  id: string,
  status: TaskStatus,
): Promise<boolean> => {
  let isThere = false
  await files.change(TASKS_FILE, (text) => {
    const document = parseYaml(text ?? STARTING_TEXT, TASKS_FILE)
    const entry = listOf(document).items.find((item) => isMap(item) && item.get('id') === id)
    if (!isMap(entry)) return text ?? STARTING_TEXT
    isThere = true
    if (entry.get('status') === status) return text ?? STARTING_TEXT
    entry.set('status', status)
    return renderYaml(document)
  })
  return isThere
}

const listOf = (document: Document) => {
  if (!isMap(document.contents) && !isSeq(document.contents)) {
    document.contents = document.createNode({ tasks: [] })
  }
  if (isSeq(document.contents)) return document.contents
  const list = document.get('tasks')
  if (isSeq(list)) return list
  const made = document.createNode([])
  document.set('tasks', made)
  return made
}
