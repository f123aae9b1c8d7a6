import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { DriveSpec } from '@steward/assistants'
import { type DrivenStart, StewardError } from '@steward/contract'

/** Throws `invalid_input` if a session cannot be started like this. */
export const checkStart = (
  { project, limits, writable, worktree, copy, sandbox }: DrivenStart,
  { title, reportsCost }: DriveSpec,
): void => {
  const isFolder = statSync(project, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isAbsolute(project) || !isFolder) {
    const reason = 'it is not an absolute path of a folder'
    throw new StewardError('invalid_input', { subject: `the project ${project}`, reason })
  }
  if (worktree && copy) {
    const reason = 'a session works in a worktree or in a copy, not in both'
    throw new StewardError('invalid_input', { subject: 'the place', reason })
  }
  if (writable.length > 0 && !worktree && !copy && !sandbox) {
    const reason = 'they can be enforced in a worktree, in a copy or in the sandbox only'
    throw new StewardError('invalid_input', { subject: 'writable paths', reason })
  }
  if (limits.budgetUsd !== undefined && !reportsCost) {
    const reason = `${title} does not report its cost; limit minutes or tool calls instead`
    throw new StewardError('invalid_input', { subject: 'the budget', reason })
  }
}
