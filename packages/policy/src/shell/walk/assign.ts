import { checkAssignment } from '../check-assignment.ts'
import { expandText, expandWord } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import type { ShellState } from '../shell-state.ts'
import type { Assignment } from '../syntax.ts'
import type { Walker } from './walker.ts'

/** Sets a variable to the values that it may have. */
export const assign = (walker: Walker, assignment: Assignment, state: ShellState): void => {
  const expansion = walker.expansion(state)
  const values =
    assignment.values.length === 1
      ? assignment.values.flatMap((word) => expandText(word, expansion))
      : [assignment.values.flatMap((word) => expandWord(word, expansion)).join(MARK.split)]
  const old = state.variables.get(assignment.name) ?? ['']
  const next = assignment.append
    ? old.flatMap((text) => values.map((value) => text + value))
    : values
  state.variables.set(assignment.name, next)
  for (const value of next) checkAssignment(assignment.name, value, state, walker.shellFor(state))
}
