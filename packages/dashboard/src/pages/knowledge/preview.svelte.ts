import { daemon } from '../../live/daemon.ts'
import { type Problem, toProblem } from '../../live/problem.ts'

export interface Preview {
  readonly html: string
  /** Why the preview is outdated. */
  readonly problem: Problem | undefined
}

/** Delay of the preview while someone types. */
const PAUSE_MS = 250

/** Rendered Markdown, shortly after it changed. Ends with the component. */
export const createPreview = (text: () => { content: string; id: string }): Preview => {
  let html = $state('')
  let problem = $state.raw<Problem>()
  let turn = 0

  $effect(() => {
    const body = text()
    const timer = setTimeout(async () => {
      turn += 1
      const mine = turn
      try {
        const answer = await daemon.call('previewMarkdown', { body })
        if (mine !== turn) return
        html = answer.html
        problem = undefined
      } catch (thrown) {
        if (mine === turn) problem = toProblem(thrown)
      }
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  })

  return {
    get html() {
      return html
    },
    get problem() {
      return problem
    },
  }
}
