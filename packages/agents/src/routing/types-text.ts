/**
 * The built-in subagent types of spec 3, as data. Types with a `role` have no name in the spec: the
 * name here is the default, and `names` in a routing file overrides it.
 */
export const TYPES_TEXT = `
types:
  - name: Architect
    purpose: system design
    tier: deep
    tools: [Read, Grep, Glob, WebSearch, WebFetch]
    readOnly: true
    everyday: true

  - name: Designer
    purpose: UX/UI design
    tier: standard
    tools: [Read, Grep, Glob, Write, Edit]
    everyday: true

  - name: Engineer
    purpose: code implementation
    tier: standard
    tools: [Read, Grep, Glob, Write, Edit, Bash]
    everyday: true

  - name: general-purpose
    purpose: custom agents composed by the compose tool
    tier: standard
    tools: []
    called: [general purpose]

  - name: Explore
    purpose: codebase exploration
    tier: fast
    tools: [Read, Grep, Glob]
    readOnly: true
    everyday: true

  - name: Plan
    purpose: implementation planning (plan mode)
    tier: deep
    tools: [Read, Grep, Glob]
    readOnly: true
    everyday: true

  - name: Forge
    purpose: cross-vendor coder
    tier: deep
    tools: [Read, Grep, Glob, Write, Edit, Bash]
    notCalled: [Autodesk Forge, Minecraft Forge, Source Forge, Forge API, Forge mod, Laravel Forge, Atlassian Forge, forge ahead]

  - name: Anvil
    purpose: cross-vendor long-context coder, 256K context
    tier: deep
    tools: [Read, Grep, Glob, Write, Edit, Bash]
    notCalled: [hammer and anvil, foundry anvil, Anvil node]

  - name: Cato
    purpose: cross-vendor read-only auditor
    tier: deep
    tools: [Read, Grep, Glob]
    readOnly: true
    notCalled: [Cato Institute, Cato the Elder, Cato the Younger, Cato Networks]

  - name: BrowserAgent
    purpose: drove a browser
    tier: standard
    called: [browser agent]
    deprecated: true
    replacedBy: Browser

  - name: UIReviewer
    purpose: reviewed user interfaces
    tier: standard
    called: [UI reviewer]
    deprecated: true
    replacedBy: Browser

  - name: QATester
    purpose: tested applications by hand
    tier: standard
    called: [QA tester]
    deprecated: true
    replacedBy: Browser

  - name: SecurityTester
    role: security-tester
    purpose: offensive security testing, spawned one per attack surface
    tier: deep
    tools: [Read, Grep, Glob, Bash, WebFetch]
    called: [security tester, pentester, penetration tester]

  - name: HostGuide
    role: host-guide
    purpose: knowledge of the host assistant's internals
    tier: standard
    tools: [Read, Grep, Glob, WebSearch, WebFetch]
    readOnly: true
    called: [host guide, guide type]

  - name: VendorAResearcher
    role: researcher-a
    purpose: research on the first vendor's model family
    tier: standard
    tools: [WebSearch, WebFetch, Read, Grep, Glob]
    readOnly: true
    called: [vendor A researcher, researcher A]

  - name: VendorBResearcher
    role: researcher-b
    purpose: research on the second vendor's model family
    tier: standard
    tools: [WebSearch, WebFetch, Read, Grep, Glob]
    readOnly: true
    called: [vendor B researcher, researcher B]

  - name: VendorCResearcher
    role: researcher-c
    purpose: research on the third vendor's model family
    tier: standard
    tools: [WebSearch, WebFetch, Read, Grep, Glob]
    readOnly: true
    called: [vendor C researcher, researcher C]
`
