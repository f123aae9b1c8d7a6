import type { Step } from './vendor.ts'
import type { World } from './world.ts'

/**
 * What the scripted model makes an assistant ask its person. A `tool` is one of an MCP server that
 * a person must always allow; the assistant asks for it as for any permission.
 */
export type Kind = 'permission' | 'tool' | 'question' | 'plan' | 'form'

export const needsPermission = (kind: Kind): boolean => kind === 'permission' || kind === 'tool'

/** One assistant, running in one way. */
export interface Subject {
  name: string
  mode: string
  /** What it asks for, and the steps of the model, of which the last makes it ask. */
  steps: Partial<Record<Kind, ((task: string) => Step[]) | undefined>>
  /** Only its own prompt can allow tools of MCP servers that need a person. */
  decidesTools?: true
  /** Its own prompt appears only after the hook has ended. */
  hidesPrompt?: true
  open: (world: World) => Promise<Session>
}

export interface Session {
  /** Starts a turn. Headless programs are started for it. */
  tell: (prompt: string, kind: Kind) => Promise<void>
  /**
   * Answers at the assistant's own prompt, as the person at the machine: yes, or the first option.
   * Undefined where there is no such prompt.
   */
  press?: (kind: Kind, isYes: boolean) => Promise<void>
  /** Whether its own prompt is on the screen now. */
  isAsking?: (kind: Kind) => Promise<boolean>
  /** Whether the turn is over and another can be started. */
  settle: () => Promise<void>
  /** The last that was seen of it, for a report. */
  seen: () => Promise<string>
  close: () => Promise<void>
}

export const QUESTION = 'Which colour?'

/** The question of every assistant; `id` makes it recognisable. */
export const questionOf = (id: string) => ({
  questions: [
    {
      question: `${QUESTION} ${id}`,
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'Blue', description: 'As the sky' },
        { label: 'Red', description: 'As a rose' },
      ],
    },
  ],
})
