import type { PolicyEdit } from '@steward/contract'
import { StewardError } from '@steward/contract/client'
import { daemon } from '../../live/daemon.ts'
import { type Problem, toProblem } from '../../live/problem.ts'
import { attempt } from '../../live/tell.svelte.ts'
import { findRival, type Rival, type RuleDraft, rebaseDraft, toEdit } from './rule-draft.ts'
import { type RuleGroup, readGroups } from './rule-groups.ts'

/** A change made here that can be undone. */
interface MadeChange {
  undo: string
  text: string
}

/**
 * The result of saving a draft. With a rival, `draft` has the same text, rebased on the current
 * file.
 */
export type SaveOutcome =
  | { kind: 'saved' }
  | { kind: 'rival'; rival: Rival; draft: RuleDraft }
  | { kind: 'refused'; problem: Problem; field?: string }

/** Others may write repeatedly; after this many attempts the page shows a message. */
const ATTEMPTS = 3

/** The changes of this visit to the policy, newest last, and the functions that make them. */
export const createPolicyChanges = (refresh: () => Promise<void>, latest: () => string) => {
  let made = $state.raw<readonly MadeChange[]>([])

  const change = async (edit: PolicyEdit, text: string): Promise<void> => {
    const { undo } = await daemon.call('editSecurityPatterns', { body: edit })
    made = [...made, { undo, text }]
    await refresh()
  }

  const save = async (draft: RuleDraft, text: string, attempts: number): Promise<SaveOutcome> => {
    try {
      await change(toEdit(draft), text)
      return { kind: 'saved' }
    } catch (thrown) {
      const isConflict = thrown instanceof StewardError && thrown.code === 'version_conflict'
      return isConflict && attempts > 1 ? meet(draft, text, attempts - 1) : refuse(thrown)
    }
  }

  /** Reads the others' changes, and saves into their version unless they changed the same entry. */
  const meet = async (draft: RuleDraft, text: string, attempts: number): Promise<SaveOutcome> => {
    try {
      const { group, revision } = await readGroupNow(draft)
      const rival = findRival(draft, group.entries)
      const rebased = rebaseDraft(draft, group, revision, rival?.theirs)
      if (rival === undefined) return await save(rebased, text, attempts)
      await refresh()
      return { kind: 'rival', rival, draft: rebased }
    } catch (thrown) {
      return refuse(thrown)
    }
  }

  return {
    get last(): MadeChange | undefined {
      return made.at(-1)
    },
    /** The number of changes that can be undone, one after the other. */
    get count(): number {
      return made.length
    },
    save: (draft: RuleDraft, text: string): Promise<SaveOutcome> =>
      draft.revision === latest() ? save(draft, text, ATTEMPTS) : meet(draft, text, ATTEMPTS),
    make: (edit: PolicyEdit, text: string): Promise<boolean> => attempt(() => change(edit, text)),
    undoLast: async (): Promise<void> => {
      const last = made.at(-1)
      if (last === undefined) return
      const work = () => daemon.call('undoSecurityChange', { body: { undo: last.undo } })
      const isUndone = await attempt(work, 'Taken back.')
      // Changes that can no longer be undone, because others changed the file, are not offered
      // again.
      made = isUndone ? made.slice(0, -1) : []
      await refresh()
    },
    forget: (): void => {
      made = []
    },
  }
}
export type PolicyChanges = ReturnType<typeof createPolicyChanges>

const readGroupNow = async ({
  place,
}: RuleDraft): Promise<{ group: RuleGroup; revision: string }> => {
  const overview = await daemon.call('getSecurity')
  const group = readGroups(overview).find(({ id }) => id === place.id)
  return { group: group ?? { ...place, entries: [] }, revision: overview.revision }
}

const refuse = (thrown: unknown): SaveOutcome => {
  const problem = toProblem(thrown)
  const { field } = problem.details
  return { kind: 'refused', problem, ...(typeof field === 'string' ? { field } : {}) }
}
