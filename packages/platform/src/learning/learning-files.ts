import { join } from 'node:path'
import type { Home } from '../home/home.ts'

/** Where what was learnt is kept. */
export interface LearningFiles {
  ratings: string
  signals: string
  /** What was counted so far of the failure log; can be made anew from it. */
  failurePatterns: string
}

export const learningFilesOf = (home: Pick<Home, 'learning' | 'stateDir'>): LearningFiles => ({
  ratings: join(home.learning, 'SIGNALS', 'ratings.jsonl'),
  signals: join(home.learning, 'SIGNALS', 'signals.jsonl'),
  failurePatterns: join(home.stateDir, 'failure-patterns.json'),
})
