import { PATH_TIERS, PATTERN_SECTIONS } from '@steward/contract'
import { type Document, isMap, isSeq, Scalar } from 'yaml'
import { mistake, unknownRule } from './edit-mistakes.ts'
import { addTo, findEntry, listAt, patternsOf, removeText, textsOf } from './yaml-lists.ts'

/** Turns shadow mode on or off for a rule, a section or, with `*`, the whole policy. */
export const setShadow = (document: Document, rule: string, shadow: boolean): void => {
  if (rule === '*') {
    if (shadow) document.set('shadow', true)
    else document.delete('shadow')
    return
  }
  if (document.get('shadow') === true) {
    throw mistake('rule', 'the whole policy is in shadow; take that back first, with the rule *')
  }
  if (setPatternShadow(document, rule, shadow)) return
  if (!isSection(rule)) checkPathRule(document, rule)
  forgetShadow(document, rule)
  if (shadow) addTo(listAt(document, ['shadow']), new Scalar(rule))
}

/** Shadow mode is removed with its rule, so that the rule is enforced if it is added again. */
export const forgetShadow = (document: Document, rule: string): void => {
  const named = document.get('shadow', true)
  if (!isSeq(named)) return
  removeText(named, rule)
  if (named.items.length === 0) document.delete('shadow')
}

/** A pattern stores its own shadow flag. Returns whether the rule is a pattern. */
const setPatternShadow = (document: Document, rule: string, shadow: boolean): boolean => {
  const section = PATTERN_SECTIONS.find((each) => rule.startsWith(`bash.${each}: `))
  if (section === undefined) return false
  const list = listAt(document, ['bash', section])
  const where = `bash.${section}`
  const entry = rule.slice(`${where}: `.length)
  const item = list.items[findEntry(patternsOf(list), { where, field: 'pattern', entry })]
  if (!isMap(item)) throw unknownRule(rule)
  forgetShadow(document, rule)
  if (shadow) item.set('shadow', true)
  else item.delete('shadow')
  return true
}

const checkPathRule = (document: Document, rule: string): void => {
  const tier = PATH_TIERS.find((each) => rule.startsWith(`paths.${each}: `))
  if (tier === undefined) throw unknownRule(rule)
  const where = `paths.${tier}`
  const entry = rule.slice(`${where}: `.length)
  findEntry(textsOf(listAt(document, ['paths', tier])), { where, field: 'path', entry })
}

const isSection = (name: string): boolean =>
  PATTERN_SECTIONS.some((section) => name === `bash.${section}`) ||
  PATH_TIERS.some((tier) => name === `paths.${tier}`)
