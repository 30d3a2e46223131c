# The stacks of a, b and c for stackprof: ruby stacks.rb OUT
require 'stackprof'
require 'json'
def c(n) = (1..n).sum { |i| i * i % 7 }
def a(n, deep) = deep ? b(n) : c(n)
def b(n) = a(n, false)
profile = StackProf.run(mode: :cpu, raw: true, interval: 1000) do
  12.times { a(200_000, true); a(200_000, false) }
end
File.write(ARGV[0], JSON.generate(profile))
