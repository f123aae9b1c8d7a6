const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter(Boolean))

const PREFIXES = setOf(`
  please kindly can could would will shall should must may might you i we us me they somebody someone
  anybody anyone want wants need needs like i'd we'd i'll we'll let's lets let to now then next first
  second also just go going ahead and hey hi hello ok okay so well help have has get try quickly simply
  finally afterwards later immediately maybe perhaps be able gonna i'm we're it's is time yes sure today
  do don't not never properly carefully again still instead really once only`)

/** Words before the actual request: `could you please …`. */
export const isPrefix = (word: string): boolean => PREFIXES.has(word)

const FILLERS = setOf(`
  a an the some any few several couple bunch of my our your their his her its this that these those
  please just really very quite rather too more another one two three four five six seven eight nine
  ten eleven twelve dozen hundred multiple many various new own good better best nice small little
  big large single separate different distinct extra additional couple other proper actual kind sort`)

/** Words that may occur inside a phrase without changing its meaning. */
export const isFiller = (word: string): boolean => FILLERS.has(word) || /^\d+$/.test(word)

const NAMES = setOf(`
  will mark may grant bill frank rob pat art sue chase drew rose grace hope faith joy summer dawn jack
  john max ray sky rich ruby pearl hunter mason carter cooper miles chance guy dean duke earl king page
  reed rush stone wade ward west brook cliff crystal dale daisy eve gene glen heath holly iris ivy jade
  lance lane lily lily melody merit nova olive paige penny piper robin sage scout skip storm victor wren`)

/** Names of people that are also ordinary words. */
export const isEverydayName = (name: string): boolean => NAMES.has(name.toLowerCase())
