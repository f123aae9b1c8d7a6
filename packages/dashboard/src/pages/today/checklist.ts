const STORED = 'steward.checklist'

/** Whether the person has hidden the checklist of the first visit, in this browser. */
export const isChecklistHidden = (): boolean => localStorage.getItem(STORED) === 'hidden'

export const hideChecklist = (): void => localStorage.setItem(STORED, 'hidden')

export const showChecklist = (): void => localStorage.removeItem(STORED)

const WELCOMED = 'steward.welcome'

/** Whether the person has taken the tour, or declined it, in this browser. */
export const wasWelcomed = (): boolean => localStorage.getItem(WELCOMED) === 'done'

export const rememberWelcome = (): void => localStorage.setItem(WELCOMED, 'done')
