const STORED = 'steward.checklist'

/** Whether the person has hidden the checklist of the first visit, in this browser. */
export const isChecklistHidden = (): boolean => localStorage.getItem(STORED) === 'hidden'

export const hideChecklist = (): void => localStorage.setItem(STORED, 'hidden')

export const showChecklist = (): void => localStorage.removeItem(STORED)
