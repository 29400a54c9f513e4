// The parts of the program alone: microseconds a call, the least of several rounds (the others were disturbed).
//
//     swift run -c release bench-parts

try measureRules()
try measureMessages()
try measureDocuments()
try await measureCommits()
