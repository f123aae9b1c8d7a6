import { StewardError } from '@steward/contract/client'
import { daemon } from '../../live/daemon.ts'
import { attempt, tell } from '../../live/tell.svelte.ts'

/** The rules file at one moment. */
export interface RulesVersion {
  text: string
  revision: string
}

/** The text being edited, the version it is based on, and others' changes since. */
export const createRulesText = (start: RulesVersion, refresh: () => Promise<void>) => {
  let text = $state(start.text)
  let base = $state.raw(start)
  let theirs = $state.raw<RulesVersion>()
  let setAside = $state<string>()
  let undo = $state<string>()
  let isSaving = $state(false)

  const takeOver = (version: RulesVersion): void => {
    base = version
    text = version.text
    theirs = undefined
  }
  const save = async (): Promise<void> => {
    isSaving = true
    const content = text
    await attempt(async () => {
      try {
        const body = { content, revision: base.revision }
        const answer = await daemon.call('saveSecurityRules', { body })
        base = { text: content, revision: answer.revision }
        undo = answer.undo
        setAside = undefined
        theirs = undefined
        tell('Rules saved.')
      } catch (thrown) {
        // Their version arrives with the refresh and is shown beside the text.
        if (!(thrown instanceof StewardError) || thrown.code !== 'version_conflict') throw thrown
      }
    })
    await refresh()
    isSaving = false
  }

  return {
    get text() {
      return text
    },
    set text(value) {
      text = value
    },
    get isChanged() {
      return text !== base.text
    },
    get isSaving() {
      return isSaving
    },
    get theirs() {
      return theirs
    },
    /** The person's own text, after theirs was chosen. */
    get setAside() {
      return setAside
    },
    get canUndo() {
      return undo !== undefined
    },
    /** The daemon's current version. The edited text is never replaced. */
    see: (now: RulesVersion): void => {
      if (now.revision === base.revision) return
      if (text === base.text || text === now.text) takeOver(now)
      else theirs = now
    },
    save,
    saveOverTheirs: async (): Promise<void> => {
      if (theirs !== undefined) base = theirs
      await save()
    },
    takeTheirs: (): void => {
      if (theirs === undefined) return
      setAside = text
      takeOver(theirs)
    },
    bringBack: (): void => {
      if (setAside === undefined) return
      text = setAside
      setAside = undefined
    },
    undoSave: async (): Promise<void> => {
      const id = undo
      if (id === undefined) return
      undo = undefined
      await attempt(() => daemon.call('undoSecurityChange', { body: { undo: id } }), 'Taken back.')
      await refresh()
    },
  }
}
