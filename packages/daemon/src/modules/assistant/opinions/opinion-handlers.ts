import { API, StewardError } from '@steward/contract'
import { handle } from '../../../module.ts'
import type { AssistantFiles } from '../files/assistant-files.ts'
import type { TaskState } from '../tasks/task-state.ts'
import { addEvidence, addOpinion, readOpinions } from './opinions.ts'

interface OpinionPorts {
  files: AssistantFiles
  state: () => TaskState
  now: () => number
  today: () => string
  onChange: () => void
}

/** List opinions, and add one or evidence for one. */
export const createOpinionHandlers = ({ files, state, now, today, onChange }: OpinionPorts) => [
  handle(API.listOpinions, () => readOpinions(files)),
  handle(API.addOpinion, async ({ body }) => {
    const added = await addOpinion(files, body, today())
    onChange()
    return added
  }),
  handle(API.addEvidence, async ({ params, body }) => {
    const { opinions } = await readOpinions(files)
    const held = opinions.find(({ id }) => id === params.id)
    if (held === undefined)
      throw new StewardError('not_found', { what: 'opinion', name: params.id })
    const key = body.key === undefined ? undefined : `${params.id}:${body.key}`
    if (key !== undefined && !(await state().recordEvidence(key, now()))) return held
    const changed = await addEvidence(files, params.id, body, today())
    onChange()
    return changed
  }),
]
