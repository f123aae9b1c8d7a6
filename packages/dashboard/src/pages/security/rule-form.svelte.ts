import type { Problem } from '../../live/problem.ts'
import type { PolicyChanges } from './policy-changes.svelte.ts'
import { type Rival, type RuleDraft, toEdit } from './rule-draft.ts'

/** The state of a form. It outlives the component, because a changing list may move it. */
export const createRuleForm = (start: RuleDraft, changes: PolicyChanges) => {
  let draft = start
  let text = $state(start.text)
  let reason = $state(start.reason)
  let shadow = $state(false)
  let isSaving = $state(false)
  let rival = $state.raw<Rival>()
  let problem = $state.raw<Problem>()
  let field = $state<string>()

  return {
    place: start.place,
    isNew: start.original === undefined,
    get text() {
      return text
    },
    set text(value) {
      text = value
    },
    get reason() {
      return reason
    },
    set reason(value) {
      reason = value
    },
    get shadow() {
      return shadow
    },
    set shadow(value) {
      shadow = value
    },
    get isChanged() {
      return text !== start.text || reason !== start.reason || shadow
    },
    get isSaving() {
      return isSaving
    },
    /** The other writer's version; saving again overwrites it. */
    get rival() {
      return rival
    },
    get problem() {
      return problem
    },
    /** The field that the problem is about. */
    get field() {
      return field
    },
    /** The change that saving would make; undefined without a text. */
    get edit() {
      if (text.trim() === '') return undefined
      const { revision: _, ...edit } = toEdit({ ...draft, text, reason, shadow })
      return edit
    },
    /** Returns whether it was saved. */
    save: async (): Promise<boolean> => {
      isSaving = true
      problem = undefined
      field = undefined
      const said = `${start.original === undefined ? 'Added to' : 'Changed in'} ${start.place.title}: ${text}`
      const outcome = await changes.save({ ...draft, text, reason, shadow }, said)
      isSaving = false
      if (outcome.kind === 'rival') {
        rival = outcome.rival
        draft = outcome.draft
      }
      if (outcome.kind === 'refused') {
        problem = outcome.problem
        field = outcome.field
      }
      return outcome.kind === 'saved'
    },
  }
}
export type RuleFormState = ReturnType<typeof createRuleForm>
