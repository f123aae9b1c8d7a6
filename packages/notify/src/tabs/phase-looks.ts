import type { Phase } from '@steward/contract'

export interface PhaseLook {
  icon: string
  /** `#RRGGBB`, behind the title of a tab that is not the active one. */
  background: string
}

export const PHASE_LOOKS: Readonly<Record<Phase, PhaseLook>> = {
  OBSERVE: { icon: '👁️', background: '#0C2D48' },
  THINK: { icon: '🧠', background: '#2D1B69' },
  PLAN: { icon: '📋', background: '#1E1B4B' },
  BUILD: { icon: '🔨', background: '#78350F' },
  EXECUTE: { icon: '⚡', background: '#713F12' },
  VERIFY: { icon: '✅', background: '#14532D' },
  LEARN: { icon: '📚', background: '#134E4A' },
  COMPLETE: { icon: '✅', background: '#022800' },
}

/** What a session does while no phase is more specific. */
export const TAB_STATES = ['thinking', 'working', 'question', 'error'] as const
export type TabState = (typeof TAB_STATES)[number]

export const STATE_LOOKS: Readonly<Record<TabState, PhaseLook>> = {
  thinking: { icon: '💭', background: '#1E0A3C' },
  working: { icon: '⚙️', background: '#804000' },
  question: { icon: '❓', background: '#0D4F4F' },
  error: { icon: '⚠️', background: '#804000' },
}

/** Colors common to all phases: the active tab, and text on the others. */
export const TAB_COLOURS = {
  activeBackground: '#002B80',
  activeText: '#FFFFFF',
  inactiveText: '#A0A0A0',
} as const

/** The appearance of a tab. */
export interface TabLook {
  title: string
  background: string
}
