/**
 * What a sentence of the tables can be labelled with, and the rules that answer for it: the first
 * one that the table has and whose conditions fit.
 */
export const LABELS = {
  Anvil: ['whole-project'],
  Architect: ['architecture'],
  Cato: ['audit'],
  custom: ['agents'],
  Designer: ['interface-design'],
  Engineer: ['code-at-high-effort', 'code'],
  Explore: ['explore'],
  // At a stated effort below E3 it stays standard code.
  Forge: ['production-grade', 'code'],
  'general-purpose': ['default'],
  HostGuide: ['host-guide'],
  managed: ['unattended-in-words'],
  Plan: ['plan'],
  SecurityTester: ['attack'],
  'skill:Browser': ['browser'],
  'skill:Knowledge': ['knowledge'],
  'skill:Research': ['research'],
  team: ['parallel-work'],
  'workflow:Spotcheck': ['spotcheck'],
} as const satisfies Record<string, readonly string[]>

export type Label = keyof typeof LABELS

export const isLabel = (text: string): text is Label => Object.hasOwn(LABELS, text)

/** In the order of the letters that stand for them in the weights. */
export const LABEL_NAMES: readonly Label[] = Object.keys(LABELS).filter(isLabel)
