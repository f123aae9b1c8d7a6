import { CONTINUE_REQUEST } from '@steward/contract'

/** How often a session is resumed after its program or the daemon ended during a turn. */
export const MOST_RESUMES = 3

/** With the task, because the assistant may have ended before it recorded that. */
export const continueText = (task: string): string =>
  `${CONTINUE_REQUEST} Look at what is already done, and continue from there. Do not repeat finished work. If nothing of it is done yet, begin with it. A tool call that the interruption rejected was not refused by the user: make it again.\n\n${task}`
