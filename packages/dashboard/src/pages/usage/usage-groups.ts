/** The groupings of the usage chart. */
export const GROUPS = { assistant: 'Assistant', model: 'Model', project: 'Project' } as const
export type UsageGroup = keyof typeof GROUPS

export const PERIODS = [1, 7, 30, 90, 365] as const

export const readGroup = (text: string | null): UsageGroup =>
  text === 'model' || text === 'project' ? text : 'assistant'

export const readPeriod = (text: string | null): number =>
  PERIODS.find((days) => String(days) === text) ?? 30

/** A day of the person's time zone, as in ISO 8601. */
export const dayOf = (atMs: number): string => {
  const date = new Date(atMs)
  const pad = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}
