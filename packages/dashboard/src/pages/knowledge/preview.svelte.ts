import { daemon } from '../../live/daemon.ts'
import { type Problem, toProblem } from '../../live/problem.ts'

export interface Preview {
  readonly html: string
  /** Why what is shown is not of the latest text. */
  readonly problem: Problem | undefined
}

/** While someone types, the preview follows at this distance. */
const PAUSE_MS = 250

/** What Markdown will look like, a moment after it changed. Ends with the component. */
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
