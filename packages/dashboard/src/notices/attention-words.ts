import type { AttentionKind } from '@steward/contract'

interface Words {
  word: string
  tone: 'warn' | 'bad' | 'good'
}

/** The words of pages for the reason why something waits. */
export const WAITS: Readonly<Record<AttentionKind, Words>> = {
  permission: { word: 'asks for permission', tone: 'warn' },
  question: { word: 'has a question', tone: 'warn' },
  plan: { word: 'asks you to approve a plan', tone: 'warn' },
  form: { word: 'asks you to fill in a form', tone: 'warn' },
  blocked: { word: 'is blocked', tone: 'bad' },
  error: { word: 'stopped with an error', tone: 'bad' },
  idle: { word: 'waits for you', tone: 'warn' },
  done: { word: 'is done', tone: 'good' },
}
